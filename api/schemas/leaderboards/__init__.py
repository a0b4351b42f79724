"""Answers about scores: leaderboards, comparisons, findings."""
