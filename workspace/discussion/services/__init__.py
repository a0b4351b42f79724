"""Writes of discussion: keyword-only functions named entity_verb."""

from django.core.exceptions import ValidationError


def invalid_if(is_wrong: bool, field: str, sentence: str) -> None:
    """Refuse a value of a field with a sentence for its writer."""
    if is_wrong:
        raise ValidationError({field: sentence})
