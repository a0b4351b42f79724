"""Writes of the episode service, by what they are about."""
