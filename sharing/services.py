"""Writes of share links, keyword-only and named entity_verb."""

from __future__ import annotations

import hashlib
import secrets
from datetime import date, datetime, time, timedelta
from enum import StrEnum

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import Action, Membership
from accounts.services import audit_record
from analysis.models import Leaderboard
from runs.models import Experiment, Run
from runs.selectors.runs import run_title
from sharing.figures import figures_of
from sharing.models import ShareLink

TOKEN_BYTES = 24
"""192 random bits. The last four characters are kept in plain, which leaves 168 that nobody can read anywhere."""

SEEN_AGAIN = timedelta(minutes=1)
MOST_DAYS = 366
NO_EDITOR = "Only editors and owners make and revoke links. Ask one of them."

Target = Leaderboard | Experiment | Run


class Lasts(StrEnum):
    WEEK, MONTH, QUARTER, DATE, PUBLIC = "7", "30", "90", "date", "public"


@transaction.atomic
def share_link_create(
    *,
    actor: Membership,
    target: Target,
    lasts: str,
    until: date | None = None,
    figure: str = "",
    label: str = "",
    with_notes: bool = False,
) -> tuple[ShareLink, str]:
    """A link and its token, which is returned once and stored only as a hash.

    `until` is the last day, in UTC, of a link that lasts to a date. Raises ValidationError for the fields lasts, until,
    figure and label; PermissionDenied unless the actor is an editor or owner now.
    """
    now = _current(actor)
    if figure and figure not in figures_of(target):
        raise ValidationError({"figure": "Choose one of the figures."})
    if len(label) > 100 or not label.isprintable():
        raise ValidationError({"label": "A label has at most 100 characters."})
    if lasts == Lasts.PUBLIC and not now.may_manage:
        raise ValidationError({"lasts": "Only owners make public links, because these do not end by themselves."})
    token = secrets.token_urlsafe(TOKEN_BYTES)
    link = ShareLink.objects.create(
        organization=actor.organization,
        figure=figure,
        token_hash=token_hash(token),
        last_four=token[-4:],
        label=label.strip(),
        with_notes=with_notes and not figure and not isinstance(target, Leaderboard),
        is_public=lasts == Lasts.PUBLIC,
        created_by=actor.user,
        expires_at=_end(lasts, until),
        **{target._meta.model_name: target},
    )
    _record(actor, Action.LINK_MADE, link)
    return link, token


@transaction.atomic
def share_link_revoke(*, actor: Membership, link: ShareLink) -> bool:
    """Whether it was live. Effective with the next request, since every one of them reads the row."""
    _current(actor)
    live = ShareLink.objects.filter(ShareLink.open_now(), pk=link.pk, organization=actor.organization)
    if not live.update(revoked_at=timezone.now()):
        return False
    _record(actor, Action.LINK_REVOKED, link)
    return True


def share_link_see(*, link: ShareLink) -> None:
    """Count a view; the time is written at most once a minute."""
    now = timezone.now()
    changes = {"views": F("views") + 1}
    if link.last_seen_at is None or now - link.last_seen_at >= SEEN_AGAIN:
        changes["last_seen_at"] = now
    ShareLink.objects.filter(pk=link.pk).update(**changes)


def token_hash(token: str) -> str:
    """Unsalted and fast: the token is random, nothing that could be guessed from a list."""
    return hashlib.sha256(token.encode(errors="replace")).hexdigest()


def title_of(link: ShareLink) -> str:
    """What it shows, by name."""
    target = getattr(link, link.target_kind)
    name = run_title(target) if isinstance(target, Run) else target.name
    return f"{name}: {figures_of(target).get(link.figure, 'a figure')}" if link.figure else name


def _end(lasts: str, until: date | None) -> datetime | None:
    if lasts == Lasts.PUBLIC:
        return None
    if lasts != Lasts.DATE:
        if lasts not in set(Lasts):
            raise ValidationError({"lasts": "Choose how long the link lasts."})
        return timezone.now() + timedelta(days=int(lasts))
    today = timezone.now().date()
    if until is None or not today <= until <= today + timedelta(days=MOST_DAYS):
        raise ValidationError({"until": "Choose a day from today on, at most a year ahead."})
    return datetime.combine(until + timedelta(days=1), time.min, timezone.get_default_timezone())


def _current(actor: Membership) -> Membership:
    """The membership as it is now: a role that was lost meanwhile counts."""
    now = Membership.objects.filter(pk=actor.pk).first()
    if now is None or not now.may_edit:
        raise PermissionDenied(NO_EDITOR)
    return now


def _record(actor: Membership, action: Action, link: ShareLink) -> None:
    end = "public" if link.is_public else f"until {link.expires_at:%Y-%m-%d}"
    notes = ", with notes" if link.with_notes else ""
    subject = f"{link.kind.label} {title_of(link)}, …{link.last_four}, {end}{notes}"
    audit_record(organization=actor.organization, actor=actor.user, action=action, subject=subject)
