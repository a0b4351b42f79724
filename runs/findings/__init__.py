"""Findings: what happened in each finished run, computed in the background by the rules of its environment."""
