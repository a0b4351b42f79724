"""Agents without a model. They use the same tools as any other agent, so they exercise the whole path."""
