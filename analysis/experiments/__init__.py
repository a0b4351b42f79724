"""What the page of an experiment draws: scores of its agents, and its progress over time."""
