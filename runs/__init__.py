"""Experiments, runs, their periods, and the engine that plays them.

Layer: above `agents` and `accounts`. Writes go through services, reads through selectors.
"""
