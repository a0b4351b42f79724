"""Comparisons of agents over the instances that both played: statistics, matching, sentences."""
