"""Checks of a real provider: `statements` says what we believe of its interface, `checking` tries it."""
