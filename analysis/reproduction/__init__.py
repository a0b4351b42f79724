"""Means of our runs against the numbers that the papers print."""
