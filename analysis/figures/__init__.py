"""Figures of leaderboards, comparisons, agents and spending."""
