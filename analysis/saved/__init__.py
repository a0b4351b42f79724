"""Leaderboards as things: a table's filters kept under a name."""
