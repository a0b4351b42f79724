"""Soft deletion: a deleted row is kept for a day, so that the deletion can be undone."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Self, TypeVar

from django.conf import settings
from django.db import models

if TYPE_CHECKING:
    from accounts.models import Organization

KEPT_FOR = timedelta(days=1)
"""How long a deletion can be undone."""

Row = TypeVar("Row", bound=models.Model)


class KeptRows(models.Manager[Row]):
    """Manager of rows that are not deleted. It is the default manager, so pages and relations hide deleted rows."""

    def get_queryset(self) -> models.QuerySet[Row]:
        return super().get_queryset().filter(deleted_at=None)


class Deletable(models.Model):
    """Base of models with soft deletion. A deleted row is hidden, and removed after `KEPT_FOR`.

    Subclasses have a foreign key `organization`.
    """

    deleted_at = models.DateTimeField(null=True, db_index=True, editable=False)
    deleted_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    objects = KeptRows[Self]()
    with_deleted = models.Manager[Self]()

    class Meta:
        abstract = True

    if TYPE_CHECKING:
        organization: models.ForeignKey[Organization]

    @property
    def kept_until(self) -> datetime | None:
        """When a deleted row is removed; None for one that is not deleted."""
        return self.deleted_at and self.deleted_at + KEPT_FOR


@dataclass(frozen=True)
class DeletableKind:
    """A model with soft deletion, and the functions that delete and restore its rows.

    word: what pages call one row, such as "agent"
    undelete: the service that restores a row for an `actor`; returns False if the row is not deleted. Raises
        ValidationError if it cannot be restored.
    address: returns the address of the page of a row
    before_removal: called outside a transaction before a row is removed
    after_removal: called in the transaction that removed the row
    locks: called in the transaction that removes a row, before the row is locked
    is_personal: whether a row belongs to its `user` alone, and not to every editor
    """

    word: str
    model: type[Deletable]
    undelete: Callable[..., bool]
    address: Callable[[Any], str]
    before_removal: Callable[[Any], None] = lambda row: None
    after_removal: Callable[[Any], None] = lambda row: None
    locks: Callable[[Any], object] = lambda row: None
    is_personal: bool = False


kinds: dict[str, DeletableKind] = {}
"""Kinds by their name in URLs. Each package adds its own in AppConfig.ready."""
