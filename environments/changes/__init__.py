"""Changes within a run: in the level and spread of an agent's actions, in its results, and in the wording of its notes."""
