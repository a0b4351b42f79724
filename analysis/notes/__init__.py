"""Texts that agents write: the search over notes and transcripts, and the analysis of notes by clusters.

`text` is pure, `search` holds the index, and `study` holds the analyses, which workers compute.
"""
