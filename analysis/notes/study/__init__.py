"""Analyses of notes: what is analysed, the background job, and its result on pages and in files."""
