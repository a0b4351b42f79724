"""Writes of saved leaderboards, keyword-only and named entity_verb. Each leaves an entry in the audit log."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Max

from accounts.models import Action, Organization, User
from accounts.services import audit_record
from analysis.models import BoardKind, Leaderboard
from analysis.saved.filters import AnyFilter, freeze

MAX_NAME, MAX_DESCRIPTION = 100, 1_000
MOST_PINNED = 6
"""Each pinned leaderboard is a table on the home page."""


def leaderboard_create(
    *, organization: Organization, user: User | None, kind: str, name: str, filters: AnyFilter, description: str = ""
) -> Leaderboard:
    """Raises ValidationError for the fields name and description."""
    _check(name, description)
    made = Leaderboard(
        organization=organization,
        kind=BoardKind(kind),
        name=name.strip(),
        description=description.strip(),
        filters=freeze(filters),
        created_by=user,
    )
    with transaction.atomic():
        _save(made)
        audit_record(organization=organization, actor=user, action=Action.LEADERBOARD_SAVED, subject=made.name)
    return made


def leaderboard_change(
    *, leaderboard: Leaderboard, user: User | None, name: str, description: str, filters: AnyFilter
) -> None:
    """Rename, describe and filter anew. Raises ValidationError for the fields name and description."""
    _check(name, description)
    old = leaderboard.name
    leaderboard.name, leaderboard.description = name.strip(), description.strip()
    leaderboard.filters = freeze(filters)
    with transaction.atomic():
        _save(leaderboard)
        _record(
            leaderboard,
            user,
            Action.LEADERBOARD_CHANGED,
            f"{old} → {leaderboard.name}" if old != leaderboard.name else "",
        )


def leaderboard_duplicate(*, leaderboard: Leaderboard, user: User | None) -> Leaderboard:
    """A copy under a free name, which is nobody's pin and has no links."""
    taken = set(Leaderboard.objects.filter(organization=leaderboard.organization_id).values_list("name", flat=True))
    number, name = 1, ""
    while not name or name in taken:
        ending = " (copy)" if number == 1 else f" (copy {number})"
        name, number = leaderboard.name[: MAX_NAME - len(ending)] + ending, number + 1
    made = Leaderboard(
        organization=leaderboard.organization,
        kind=leaderboard.kind,
        name=name,
        description=leaderboard.description,
        filters=leaderboard.filters,
        created_by=user,
    )
    with transaction.atomic():
        _save(made)
        _record(made, user, Action.LEADERBOARD_SAVED)
    return made


@transaction.atomic
def leaderboard_delete(*, leaderboard: Leaderboard, user: User | None) -> None:
    """The table goes, with the links to it; the runs it showed stay."""
    _record(leaderboard, user, Action.LEADERBOARD_DELETED)
    leaderboard.delete()


@transaction.atomic
def leaderboard_pin(*, leaderboard: Leaderboard, pinned: bool) -> None:
    """To the end of the pinned ones, or off the home page. Raises ValidationError where there is no room."""
    Organization.objects.select_for_update().get(pk=leaderboard.organization_id)
    others = Leaderboard.objects.filter(organization=leaderboard.organization_id, pin__isnull=False)
    if pinned and not leaderboard.is_pinned:
        if others.count() >= MOST_PINNED:
            raise ValidationError(f"At most {MOST_PINNED} leaderboards are pinned. Unpin another one first.")
        last = others.aggregate(last=Max("pin"))["last"]
        leaderboard.pin = 0 if last is None else last + 1
    elif not pinned:
        leaderboard.pin = None
    leaderboard.save(update_fields=["pin"])


@transaction.atomic
def leaderboard_move(*, leaderboard: Leaderboard, up: bool) -> None:
    """One place up or down among the pinned; nothing at either end."""
    Organization.objects.select_for_update().get(pk=leaderboard.organization_id)
    rows = list(
        Leaderboard.objects.filter(organization=leaderboard.organization_id, pin__isnull=False).order_by("pin", "id")
    )
    place = next((place for place, row in enumerate(rows) if row.pk == leaderboard.pk), None)
    if place is None:
        return
    other = place - 1 if up else place + 1
    if 0 <= other < len(rows):
        rows[place], rows[other] = rows[other], rows[place]
    for number, row in enumerate(rows):
        if row.pin != number:
            Leaderboard.objects.filter(pk=row.pk).update(pin=number)


def _check(name: str, description: str) -> None:
    errors: dict[str, str] = {}
    if not 1 <= len(name.strip()) <= MAX_NAME or not name.strip().isprintable():
        errors["name"] = f"A name has 1 to {MAX_NAME} characters."
    if len(description) > MAX_DESCRIPTION or "\x00" in description:
        errors["description"] = f"A description has at most {MAX_DESCRIPTION:,} characters."
    if errors:
        raise ValidationError(errors)


def _save(leaderboard: Leaderboard) -> None:
    """The unique name settles a race of two people."""
    try:
        with transaction.atomic():
            leaderboard.save()
    except IntegrityError:
        raise ValidationError({"name": "Another leaderboard has this name."}) from None


def _record(leaderboard: Leaderboard, user: User | None, action: Action, subject: str = "") -> Any:
    organization = leaderboard.organization
    audit_record(organization=organization, actor=user, action=action, subject=subject or leaderboard.name)
