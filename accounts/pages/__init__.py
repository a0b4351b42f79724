"""Helpers that the pages of all packages use."""
