"""Changes within a run: of level, spread and result of what an agent does, and of the wording of its notes."""
