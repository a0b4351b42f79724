from __future__ import annotations

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.utils import timezone

from accounts import hooks
from accounts.models import Action, Invitation, Membership, Organization, Role, User
from accounts.services.audit import audit_record
from accounts.services.organizations import organization_lock

LAST_OWNER = "An organization needs an owner. Make another member an owner first."


@transaction.atomic
def member_set_role(*, actor: Membership, membership: Membership, role: str) -> list[str]:
    """Change a role. Returns the names of tokens that were revoked because a former owner may have kept them.

    Raises PermissionDenied unless the actor is an owner, or for the actor's own role; ValidationError for the field role.
    """
    organization = organization_lock(actor)
    if membership.pk == actor.pk:
        raise PermissionDenied("Nobody changes their own role. Ask another owner.")
    if role not in Role.values:
        raise ValidationError({"role": "Choose one of the roles."})
    membership = Membership.objects.select_related("user").get(pk=membership.pk, organization=organization)
    if membership.role == role:
        return []
    old = Role(membership.role).label
    membership.role = role
    membership.save(update_fields=["role"])
    revoked = [] if role == Role.OWNER else _end_ownership(organization, membership.user, actor.user)
    audit_record(
        organization=organization,
        actor=actor.user,
        action=Action.MEMBER_ROLE,
        subject=f"{_named(membership.user)}: {old} → {Role(role).label}",
    )
    return revoked


@transaction.atomic
def member_remove(*, actor: Membership, membership: Membership) -> list[str]:
    """Remove a member. Returns the names of tokens that were revoked with it. Owners who want to go use member_leave.

    Raises PermissionDenied unless the actor is an owner.
    """
    organization = organization_lock(actor)
    if membership.pk == actor.pk:
        raise PermissionDenied("To go yourself, leave the organization.")
    membership = Membership.objects.select_related("user").get(pk=membership.pk, organization=organization)
    revoked = _end(organization, membership, actor.user)
    audit_record(
        organization=organization,
        actor=actor.user,
        action=Action.MEMBER_REMOVED,
        subject=f"{_named(membership.user)}, {Role(membership.role).label.lower()}",
    )
    return revoked


@transaction.atomic
def member_leave(*, membership: Membership) -> None:
    """Raises ValidationError for the last owner."""
    organization = Organization.objects.select_for_update().get(pk=membership.organization_id)
    membership = Membership.objects.select_related("user").get(pk=membership.pk)
    others = Membership.objects.filter(organization=organization, role=Role.OWNER).exclude(pk=membership.pk)
    if membership.role == Role.OWNER and not others.exists():
        raise ValidationError(LAST_OWNER)
    _end(organization, membership, membership.user)
    audit_record(
        organization=organization, actor=membership.user, action=Action.MEMBER_LEFT, subject=_named(membership.user)
    )


def _end(organization: Organization, membership: Membership, actor: User) -> list[str]:
    Membership.objects.filter(pk=membership.pk).delete()
    revoked = _end_ownership(organization, membership.user, actor)
    for told in hooks.member_removed:
        told(organization, membership.user)
    return revoked


def _end_ownership(organization: Organization, user: User, actor: User) -> list[str]:
    """A former owner must not return by a link they made, nor act with a token they have seen."""
    Invitation.objects.filter(Invitation.open_now(), organization=organization, invited_by=user).update(
        revoked_at=timezone.now()
    )
    return [name for told in hooks.ownership_ended for name in told(organization, user, actor)]


def _named(user: User) -> str:
    return f"{user.shown_name} ({user.email})"
