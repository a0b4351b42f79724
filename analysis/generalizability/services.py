"""Writes of outside columns: keyword-only functions named entity_verb."""

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction

from accounts.models import Organization, User
from analysis.generalizability.outside import CsvColumn
from analysis.models import OutsideColumn

MOST = 100
"""The most outside columns of an organization."""


@transaction.atomic
def outside_columns_create(
    *, organization: Organization, user: User | None, columns: list[CsvColumn], unit: str = "", source: str = ""
) -> list[OutsideColumn]:
    """Store the columns of a file, all or none. Raises ValidationError for a name that exists, and for too many columns."""
    names = {name.casefold() for name in organization.outside_columns.values_list("name", flat=True)}
    for column in columns:
        if column.name.casefold() in names:
            raise ValidationError(f"There is already a column “{column.name}”. Delete it first, or give another name.")
    if len(names) + len(columns) > MOST:
        raise ValidationError(f"An organization has at most {MOST} outside columns; there are {len(names)}.")
    try:
        with transaction.atomic():
            return [
                OutsideColumn.objects.create(
                    organization=organization,
                    name=column.name,
                    unit=unit.strip(),
                    source=source.strip(),
                    values=dict(column.values),
                    created_by=user,
                )
                for column in columns
            ]
    except IntegrityError:
        raise ValidationError("Somebody has just added a column of this name. Load the page again.") from None


def outside_column_delete(*, column: OutsideColumn) -> None:
    """Delete the column and its values. Addresses that name it then show the usual measures."""
    column.delete()
