"""Saved leaderboards: the filters of a table under a name."""
