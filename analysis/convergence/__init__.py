"""How many periods agents need to their first optimal action."""
