"""Writes of play, by what they are about."""
