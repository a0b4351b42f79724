"""The search over notes and transcripts: words (pure), the index and its upkeep, the selector of hits."""
