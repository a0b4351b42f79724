"""Reads of people, members, invitations and the audit log. Rows of other organizations count as missing."""

from collections.abc import Callable
from datetime import timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from accounts.email_addresses import ascii_lower
from accounts.models import Action, AuditEntry, Invitation, Membership, Notice, Organization, Role, User

ROLE_ORDER = {role: rank for rank, role in enumerate(Role.values)}


def person_of_address(email: str) -> User | None:
    """Return the person with this current address, or None. A requested, unconfirmed new address does not count."""
    return User.objects.filter(email=email).first()


def person_called(typed: str) -> User | None:
    """Return the person with this e-mail address or user name, or None.

    An e-mail address takes precedence: otherwise somebody could choose the address of another person as a user name.
    """
    typed = ascii_lower(typed)
    people = list(User.objects.filter(Q(email=typed) | Q(username__iexact=typed)).order_by("id"))
    by_address = (user for user in people if user.email == typed)
    by_name = (user for user in people if ascii_lower(user.username) == typed)
    return next(by_address, None) or next(by_name, None)


def members(organization: Organization) -> list[Membership]:
    """Return the members, owners first, then editors and viewers, each by name."""
    return sorted(
        Membership.objects.filter(organization=organization).select_related("user"),
        key=lambda m: (ROLE_ORDER[m.role], m.user.shown_name.lower()),
    )


def waiting_invitations(organization: Organization) -> QuerySet[Invitation]:
    """Return invitations that are neither accepted nor revoked, newest first. Expired ones are included.

    Each has the attribute `unsent`: whether its mail was tried but could not be sent yet.
    """
    rows = Invitation.objects.filter(organization=organization, accepted_at=None, revoked_at=None)
    unsent = Notice.objects.filter(kind=Notice.Kind.MESSAGE, recipient=OuterRef("email"), attempts__gt=0)
    return rows.annotate(unsent=Exists(unsent)).select_related("invited_by").order_by("-id")


def names_by_member(
    listeners: list[Callable[[Organization], dict[int, list[str]]]], organization: Organization
) -> dict[int, list[str]]:
    """Return what the listeners of a hook name in this organization, by user id."""
    joined: dict[int, list[str]] = {}
    for names_by_user in listeners:
        for user_id, names in names_by_user(organization).items():
            joined.setdefault(user_id, []).extend(names)
    return joined


def member_or_404(*, organization: Organization, membership_id: int) -> Membership:
    return get_object_or_404(Membership.objects.select_related("user"), organization=organization, pk=membership_id)


def invitation_or_404(*, organization: Organization, invitation_id: int) -> Invitation:
    return get_object_or_404(Invitation, organization=organization, pk=invitation_id, accepted_at=None, revoked_at=None)


def audit_entries(
    *, organization: Organization, action: str = "", actor: str = "", days: int = 0
) -> QuerySet[AuditEntry]:
    """Return entries of the audit log, newest first. Unknown actions and actors do not filter.

    actor: id of a user, as typed
    days: age of the oldest entry; 0 for any age
    """
    rows = AuditEntry.objects.filter(organization=organization).order_by("-id")
    if action in Action.values:
        rows = rows.filter(action=action)
    if actor.isdecimal() and len(actor) < 10:
        rows = rows.filter(actor_id=int(actor))
    if days:
        rows = rows.filter(created_at__gte=timezone.now() - timedelta(days=days))
    return rows


def audit_actors(organization: Organization) -> list[tuple[int, str]]:
    """Return (user id, name) of the people with entries in the log, by name."""
    people = User.objects.filter(pk__in=AuditEntry.objects.filter(organization=organization).values("actor"))
    return sorted(((person.pk, person.shown_name) for person in people), key=lambda item: item[1].lower())
