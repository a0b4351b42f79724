"""Comparisons of two to six runs of one instance: highest score, first difference, and actions in a period."""
