"""Figures of what scores go together with: pairwise tests and metrics of runs."""
