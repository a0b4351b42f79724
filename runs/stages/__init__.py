"""Comparisons of two agents in stages. After each stage an experiment may stop because the question is decided."""
