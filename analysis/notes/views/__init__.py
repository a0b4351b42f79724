"""Pages of the search and of analyses."""
