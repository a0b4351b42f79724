"""Runs period by period: learning curves, and the courses of an agent on all instances."""
