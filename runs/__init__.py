"""Experiments, runs and periods, and the engine that plays them. Services write, selectors read."""
