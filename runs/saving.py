"""Set several columns of a row, and save a row with a unique name."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction


def set_values(row: models.Model, values: Mapping[str, Any]) -> None:
    for name, value in values.items():
        setattr(row, name, value)


def save_unique(row: models.Model, taken: Mapping[str, str]) -> None:
    """Save a row. If two people save the same name at once, the unique constraint decides.

    taken: the sentence for the field of the name. Raises ValidationError with it.
    """
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise ValidationError(dict(taken)) from None
