"""Baselines: agents without a model. They use the same tools as any other agent."""
