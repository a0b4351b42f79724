"""Estimates of a launch, from rehearsed games, the agents' past runs and their prices."""
