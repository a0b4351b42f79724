"""Leaderboard, litmus page, figures of runs: guard, form, selector, render."""
