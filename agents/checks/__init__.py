"""Checks of a real provider: `statements` has our assumptions about its interface, `checking` tests them."""
