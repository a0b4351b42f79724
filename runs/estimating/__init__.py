"""Estimates of a launch: from games rehearsed without a model, the agents' past runs and their prices."""
