"""Writes of play, one module for each subject."""
