"""Services that write share links. They take keyword arguments only, and their names have the form entity_verb."""

import secrets
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Any

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from accounts.models import Action, Membership, Organization, User
from accounts.secrets import token_hash
from accounts.services.audit import audit_record
from sharing.kinds import KINDS, name_of, title_of
from sharing.models import ShareLink, Target

TOKEN_BYTES = 24
"""Random bytes of a token: 192 bits. Its last four characters are stored in plain text, so 168 bits stay secret."""

SEEN_AGAIN = timedelta(minutes=1)
MOST_DAYS = 366
NO_EDITOR = "Only editors and owners can create and revoke links. Ask one of them."


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
    """Create a link. Returns it and its token, which is stored only as a hash.

    `until` is the last day in UTC if `lasts` is Lasts.DATE. Raises ValidationError for wrong fields or a target that
    cannot be shared now, PermissionDenied unless the actor is an editor or owner now.
    """
    now = _current(actor)
    kind = KINDS[name_of(target)]
    if refusal := kind.refusal(target):
        raise ValidationError(refusal)
    if figure and figure not in kind.figures(target):
        raise ValidationError({"figure": "Choose one of the figures."})
    if len(label) > 100 or not label.isprintable():
        raise ValidationError({"label": "A label has at most 100 characters."})
    if lasts == Lasts.PUBLIC and not now.may_manage:
        raise ValidationError({"lasts": "Only owners can create public links, because public links do not expire."})
    token = secrets.token_urlsafe(TOKEN_BYTES)
    link = ShareLink.objects.create(
        organization=actor.organization,
        figure=figure,
        token_hash=token_hash(token),
        last_four=token[-4:],
        label=label.strip(),
        with_notes=with_notes and not figure and kind.has_notes,
        is_public=lasts == Lasts.PUBLIC,
        created_by=actor.user,
        expires_at=_end(lasts, until),
        **{name_of(target): target},
    )
    _record(actor, Action.LINK_MADE, link)
    return link, token


@transaction.atomic
def share_link_revoke(*, actor: Membership, link: ShareLink) -> bool:
    """Revoke a link; return whether it was live. The next request is refused, because every request reads the row."""
    _current(actor)
    live = ShareLink.objects.filter(ShareLink.open_now(), pk=link.pk, organization=actor.organization)
    if not live.update(revoked_at=timezone.now()):
        return False
    _record(actor, Action.LINK_REVOKED, link)
    return True


def share_links_revoke_of(organization: Organization, user: User) -> None:
    """Revoke the links of a removed owner, who may still have them. A listener of accounts.hooks.owner_removed."""
    live = ShareLink.objects.filter(ShareLink.open_now(), organization=organization, created_by=user)
    live.update(revoked_at=timezone.now())


def share_link_count_view(*, link: ShareLink) -> None:
    """Count a view of the link. The time of the last view is written at most once a minute."""
    now = timezone.now()
    changes: dict[str, Any] = {"views": F("views") + 1}
    if link.last_seen_at is None or now - link.last_seen_at >= SEEN_AGAIN:
        changes["last_seen_at"] = now
    ShareLink.objects.filter(pk=link.pk).update(**changes)


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
    """Read the actor's membership again, because the role may have changed since the request began.

    Raises PermissionDenied unless the actor is an editor or owner.
    """
    now = Membership.objects.filter(pk=actor.pk).first()
    if now is None or not now.may_edit:
        raise PermissionDenied(NO_EDITOR)
    return now


def _record(actor: Membership, action: Action, link: ShareLink) -> None:
    end = "public" if link.is_public else f"until {link.expires_at:%Y-%m-%d}"
    notes = ", with notes" if link.with_notes else ""
    subject = f"{link.kind.label} {title_of(link)}, …{link.last_four}, {end}{notes}"
    audit_record(organization=actor.organization, actor=actor.user, action=action, subject=subject)
