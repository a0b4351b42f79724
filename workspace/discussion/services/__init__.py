"""Writes of discussion: keyword-only functions named entity_verb."""
