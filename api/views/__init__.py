"""Pages for tokens and for the documentation of the API."""
