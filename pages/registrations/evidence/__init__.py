"""The evidence of a registration as plain records, and what follows from it: answers, deviations and tables. Pure."""
