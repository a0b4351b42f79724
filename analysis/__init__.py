"""Figures, leaderboards and comparisons over runs.

The modules `figures`, `comparing`, `litmus.scores` and `table` hold pure functions over plain records. The statistics
are in `stats`.
"""
