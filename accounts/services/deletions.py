"""Services of soft deletion: hide rows, restore them, and remove them after a day. Services of each kind call these."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.utils import timezone

from accounts.deletions import KEPT_FOR, Deletable, DeletableKind, kinds
from accounts.models import Action, User
from accounts.services.audit import audit_record
from infrastructure.transactions import write_transaction

REMOVED = "It was deleted more than a day ago, or for good, so it cannot be brought back."


def row_hide(*, row: Deletable, actor: User | None) -> bool:
    """Mark a row as deleted, in the caller's transaction. Returns False if it was deleted already."""
    now = timezone.now()
    if not type(row).objects.filter(pk=row.pk).update(deleted_at=now, deleted_by=actor):
        return False
    row.deleted_at, row.deleted_by = now, actor
    return True


def row_show(*, row: Deletable) -> bool:
    """Restore a deleted row, in the caller's transaction. Returns False if the row is not deleted.

    Raises ValidationError if the row was removed for good or deleted more than KEPT_FOR ago.
    """
    recent = type(row).with_deleted.filter(pk=row.pk, deleted_at__gt=timezone.now() - KEPT_FOR)
    if not recent.update(deleted_at=None, deleted_by=None):
        if type(row).objects.filter(pk=row.pk).exists():
            return False
        raise ValidationError(REMOVED)
    row.deleted_at = row.deleted_by = None
    return True


def row_remove(*, kind: DeletableKind, row: Deletable, deleted_before: datetime) -> bool:
    """Delete a row for good if it was deleted at or before `deleted_before`.

    Returns False if the deletion was undone meanwhile, or if another process removed the row.
    """
    kind.before_removal(row)
    with write_transaction():
        kind.locks(row)
        # The lock settles a race with an undo. It also blocks transactions that insert a reference to the row.
        rows = kind.model.with_deleted.select_for_update(no_key=False).filter(pk=row.pk, deleted_at__lte=deleted_before)
        if (locked_row := rows.first()) is None:
            return False
        locked_row.delete()
        kind.after_removal(row)
    return True


def row_erase(*, kind: DeletableKind, row: Deletable, actor: User) -> bool:
    """Delete a hidden row for good before KEPT_FOR is over. Returns False if the deletion was undone meanwhile."""
    subject, organization = f"{kind.word} {row}", row.organization
    if not row_remove(kind=kind, row=row, deleted_before=timezone.now()):
        return False
    if not kind.is_personal:
        audit_record(organization=organization, actor=actor, action=Action.REMOVED, subject=subject)
    return True


def deleted_remove() -> None:
    """Delete for good all rows that were deleted at least KEPT_FOR ago. A listener of runs.events.sweeping."""
    before = timezone.now() - KEPT_FOR
    for kind in kinds.values():
        for row in kind.model.with_deleted.filter(deleted_at__lte=before).order_by("deleted_at"):
            row_remove(kind=kind, row=row, deleted_before=before)
