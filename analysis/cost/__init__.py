"""Score against cost: the data of agents and the frontier."""
