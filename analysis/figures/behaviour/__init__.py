"""Figures of pairwise tests, and of metrics against scores."""
