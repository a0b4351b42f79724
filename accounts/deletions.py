"""Rows that stay for a day after a person deleted them, so that the deletion can be undone."""

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
    """Rows that are not deleted. It is the default manager, so no page and no relation shows a deleted row."""

    def get_queryset(self) -> models.QuerySet[Row]:
        return super().get_queryset().filter(deleted_at=None)


class Deletable(models.Model):
    """A row that hides when it is deleted, and is removed after `KEPT_FOR`. It belongs to an organization."""

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
    """One kind of thing that can be deleted.

    word: of one such thing on pages
    undelete: the service, with a row and its `actor`; False if the row is not deleted. Raises ValidationError.
    address: the page of a row
    before_removal: called outside a transaction before a row is removed
    after_removal: called in the transaction that removed the row
    locks: called in the transaction that removes a row, before the row is locked
    is_personal: whether a row belongs to its `user` and not to every editor
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
"""By their name in addresses. Packages add theirs in AppConfig.ready."""
