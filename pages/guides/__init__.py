"""The guides of docs/ and the methodology as pages, with a search, and marks that link numbers to their paragraph."""
