"""The page of one agent: its scores by environment, its runs over time, its litmus profile."""
