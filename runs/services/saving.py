from collections.abc import Mapping

from django.core.exceptions import ValidationError
from django.db import IntegrityError, models, transaction


def save_unique(row: models.Model, taken: Mapping[str, str]) -> None:
    """Save a row. If two people save the same name at once, the unique constraint decides.

    taken: the sentence for the field of the name. Raises ValidationError with it.
    """
    try:
        with transaction.atomic():
            row.save()
    except IntegrityError:
        raise ValidationError(dict(taken)) from None
