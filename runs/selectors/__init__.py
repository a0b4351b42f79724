"""Read-only queries for pages, the API and commands. They return only rows of the given organization."""
