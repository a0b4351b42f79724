"""Questions pages ask. Every selector takes the organization and answers only with its rows."""
