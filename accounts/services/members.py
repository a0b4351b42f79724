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
def member_set_role(*, actor: Membership, membership: Membership, role: str) -> None:
    """Raises PermissionDenied for others than owners and for one's own role, ValidationError for the field role."""
    organization = organization_lock(actor)
    if membership.pk == actor.pk:
        raise PermissionDenied("Nobody changes their own role. Ask another owner.")
    if role not in Role.values:
        raise ValidationError({"role": "Choose one of the roles."})
    membership = Membership.objects.select_related("user").get(pk=membership.pk, organization=organization)
    if membership.role == role:
        return
    old = Role(membership.role).label
    membership.role = role
    membership.save(update_fields=["role"])
    if role != Role.OWNER:
        _revoke_invitations_of(organization, membership.user)
    audit_record(
        organization=organization,
        actor=actor.user,
        action=Action.MEMBER_ROLE,
        subject=f"{_named(membership.user)}: {old} → {Role(role).label}",
    )


@transaction.atomic
def member_remove(*, actor: Membership, membership: Membership) -> None:
    """Raises PermissionDenied for others than owners. An owner who removes themselves leaves, see member_leave."""
    organization = organization_lock(actor)
    if membership.pk == actor.pk:
        raise PermissionDenied("To go yourself, leave the organization.")
    membership = Membership.objects.select_related("user").get(pk=membership.pk, organization=organization)
    _end(organization, membership)
    audit_record(
        organization=organization,
        actor=actor.user,
        action=Action.MEMBER_REMOVED,
        subject=f"{_named(membership.user)}, {Role(membership.role).label.lower()}",
    )


@transaction.atomic
def member_leave(*, membership: Membership) -> None:
    """Raises ValidationError for the last owner."""
    organization = Organization.objects.select_for_update().get(pk=membership.organization_id)
    membership = Membership.objects.select_related("user").get(pk=membership.pk)
    others = Membership.objects.filter(organization=organization, role=Role.OWNER).exclude(pk=membership.pk)
    if membership.role == Role.OWNER and not others.exists():
        raise ValidationError(LAST_OWNER)
    _end(organization, membership)
    audit_record(
        organization=organization, actor=membership.user, action=Action.MEMBER_LEFT, subject=_named(membership.user)
    )


def _end(organization: Organization, membership: Membership) -> None:
    Membership.objects.filter(pk=membership.pk).delete()
    _revoke_invitations_of(organization, membership.user)
    for told in hooks.member_removed:
        told(organization, membership.user)


def _revoke_invitations_of(organization: Organization, user: User) -> None:
    """Who is no owner any more must not come back by a link of their own making."""
    Invitation.objects.filter(Invitation.open_now(), organization=organization, invited_by=user).update(
        revoked_at=timezone.now()
    )


def _named(user: User) -> str:
    return f"{user.shown_name} ({user.email})"
