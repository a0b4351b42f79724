"""Writes, keyword-only and named entity_verb."""
