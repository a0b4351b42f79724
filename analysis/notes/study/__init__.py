"""Analyses of notes: the choice of notes, the background job, and the result on pages and in files."""
