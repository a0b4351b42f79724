"""The search over notes and transcripts: words (pure functions), the index and its upkeep, and the search itself."""
