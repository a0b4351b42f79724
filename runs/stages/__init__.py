"""Comparisons of two agents in stages: after each stage an experiment may stop, because the question is decided."""
