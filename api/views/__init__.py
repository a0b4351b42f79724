"""Pages: tokens, and the documentation of the API."""
