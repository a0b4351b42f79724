"""The guides of docs/ and the methodology as pages with a search, and links from numbers to their explanation."""
