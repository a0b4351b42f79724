"""Figures, leaderboards and comparisons over runs.

`figures`, `comparing`, `litmus.scores` and the modules `table` are pure functions over plain records; the statistics are in
`stats`.
"""
