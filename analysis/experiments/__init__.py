"""Data for the figures of an experiment's page: scores of its agents, and its progress over time."""
