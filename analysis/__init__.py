"""Figures, leaderboards and comparisons over runs.

`figures`, `comparing` and the modules `table` are pure functions over plain records; the statistics are in `stats`.
"""
