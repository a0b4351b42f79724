"""Writes of saved leaderboards: keyword-only functions named entity_verb. Each writes an entry to the audit log."""

from collections.abc import Callable

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Max, QuerySet

from accounts.models import Action, Organization, User
from accounts.services.audit import audit_record
from accounts.services.deletions import row_hide, row_show
from analysis.base.filters import LeaderboardFilter
from analysis.models import Leaderboard
from analysis.saved.kinds import KINDS, to_json

MAX_NAME, MAX_DESCRIPTION = 100, 1_000
MOST_PINNED = 6
"""The most pinned leaderboards; each is a table on the home page."""


def leaderboard_create(
    *,
    organization: Organization,
    user: User | None,
    kind: str,
    name: str,
    filters: LeaderboardFilter,
    description: str = "",
) -> Leaderboard:
    """Save a leaderboard. Raises ValidationError for the fields name and description."""
    _check(name, description)
    return _add(
        Leaderboard(
            organization=organization,
            kind=kind,
            name=name.strip(),
            description=description.strip(),
            filters=to_json(filters),
            created_by=user,
        )
    )


def leaderboard_change(
    *, leaderboard: Leaderboard, user: User | None, name: str, description: str, filters: LeaderboardFilter
) -> None:
    """Change a leaderboard. Raises ValidationError for the fields name and description."""
    _check(name, description)
    old = leaderboard.name
    leaderboard.name, leaderboard.description = name.strip(), description.strip()
    leaderboard.filters = to_json(filters)
    with transaction.atomic():
        _save(leaderboard)
        renamed = f"{old} → {leaderboard.name}" if old != leaderboard.name else ""
        _record(leaderboard, user, Action.LEADERBOARD_CHANGED, renamed)


def leaderboard_duplicate(*, leaderboard: Leaderboard, user: User | None) -> Leaderboard:
    """Copy the leaderboard under a free name. The copy is not pinned and has no links."""
    taken = set(Leaderboard.objects.filter(organization=leaderboard.organization_id).values_list("name", flat=True))
    number, name = 1, ""
    while not name or name in taken:
        ending = " (copy)" if number == 1 else f" (copy {number})"
        name, number = leaderboard.name[: MAX_NAME - len(ending)] + ending, number + 1
    same = {field: getattr(leaderboard, field) for field in ("organization", "kind", "description", "filters")}
    return _add(Leaderboard(name=name, created_by=user, **same))


@transaction.atomic
def leaderboard_delete(*, leaderboard: Leaderboard, user: User | None) -> bool:
    """Hide the leaderboard and its links; runs stay. Returns False if it was deleted already."""
    if not row_hide(row=leaderboard, actor=user):
        return False
    _record(leaderboard, user, Action.LEADERBOARD_DELETED)
    return True


@transaction.atomic
def leaderboard_undelete(*, leaderboard: Leaderboard, actor: User | None) -> bool:
    """Show the leaderboard and its links again, pinned if there is room. Returns False if it is not deleted.

    Raises ValidationError if its name was taken meanwhile.
    """
    if _pinned(leaderboard).count() >= MOST_PINNED:
        Leaderboard.with_deleted.filter(pk=leaderboard.pk).exclude(deleted_at=None).update(pin=None)
    try:
        with transaction.atomic():
            if not row_show(row=leaderboard):
                return False
    except IntegrityError:
        sentence = f"Another leaderboard is called {leaderboard.name} now. Rename that one, then undo the deletion."
        raise ValidationError(sentence) from None
    _record(leaderboard, actor, Action.LEADERBOARD_UNDELETED)
    return True


@transaction.atomic
def leaderboard_pin(*, leaderboard: Leaderboard, pinned: bool) -> None:
    """Pin a leaderboard at the end, or unpin it. Raises ValidationError if too many are pinned, or for other answers."""
    if not KINDS[leaderboard.kind].is_leaderboard:
        raise ValidationError("Only leaderboards have a place on the home page.")
    others = _pinned(leaderboard)
    if pinned and not leaderboard.is_pinned:
        if others.count() >= MOST_PINNED:
            raise ValidationError(f"At most {MOST_PINNED} leaderboards are pinned. Unpin another one first.")
        last = others.aggregate(last=Max("pin"))["last"]
        leaderboard.pin = 0 if last is None else last + 1
    elif not pinned:
        leaderboard.pin = None
    leaderboard.save(update_fields=["pin"])


@transaction.atomic
def leaderboard_move_up(*, leaderboard: Leaderboard) -> None:
    """Move one position up among the pinned leaderboards."""
    rows = list(_pinned(leaderboard))
    position = next((position for position, row in enumerate(rows) if row.pk == leaderboard.pk), None)
    if not position:
        return
    rows[position - 1], rows[position] = rows[position], rows[position - 1]
    for number, row in enumerate(rows):
        if row.pin != number:
            Leaderboard.objects.filter(pk=row.pk).update(pin=number)


def _pinned(leaderboard: Leaderboard) -> QuerySet[Leaderboard]:
    """The organization's pinned leaderboards. The organization is locked, so that nobody else changes their order."""
    Organization.objects.select_for_update(no_key=True).get(pk=leaderboard.organization_id)
    return Leaderboard.objects.filter(organization=leaderboard.organization_id, pin__isnull=False).order_by("pin", "id")


def _check(name: str, description: str) -> None:
    errors: dict[str, str] = {}
    if not 1 <= len(name.strip()) <= MAX_NAME or not name.strip().isprintable():
        errors["name"] = f"A name has 1 to {MAX_NAME} characters."
    if len(description) > MAX_DESCRIPTION or "\x00" in description:
        errors["description"] = f"A description has at most {MAX_DESCRIPTION:,} characters."
    if errors:
        raise ValidationError(errors)


@transaction.atomic
def _add(leaderboard: Leaderboard) -> Leaderboard:
    _save(leaderboard)
    _record(leaderboard, leaderboard.created_by, Action.LEADERBOARD_SAVED)
    return leaderboard


def _save(leaderboard: Leaderboard) -> None:
    """Save a leaderboard. The unique constraint decides if two people save the same name at once."""
    try:
        with transaction.atomic():
            # A leaderboard that was deleted meanwhile stays deleted.
            changed = None if leaderboard._state.adding else ("name", "description", "filters", "changed_at")
            leaderboard.save(update_fields=changed)
    except IntegrityError:
        raise ValidationError({"name": "Another leaderboard has this name."}) from None


def _record(leaderboard: Leaderboard, user: User | None, action: Action, subject: str = "") -> None:
    organization = leaderboard.organization
    audit_record(organization=organization, actor=user, action=action, subject=subject or leaderboard.name)


leaderboard_shared: list[Callable[[Leaderboard], int]] = []
"""Functions that return the number of live links to the leaderboard. Higher layers append theirs in AppConfig.ready."""


def links_to(leaderboard: Leaderboard) -> int:
    return sum(count(leaderboard) for count in leaderboard_shared)
