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
    """Change another's role. Raises ValidationError for the field role. Returns the names of tokens that were revoked."""
    organization, membership = _other_member(actor, membership, "Nobody changes their own role. Ask another owner.")
    if role not in Role.values:
        raise ValidationError({"role": "Choose one of the roles."})
    if membership.role == role:
        return []
    old = Role(membership.role).label
    membership.role = role
    membership.save(update_fields=["role"])
    revoked = [] if role == Role.OWNER else _end_ownership(organization, membership.user, actor.user)
    subject = f"{_name_and_email(membership.user)}: {old} → {Role(role).label}"
    audit_record(organization=organization, actor=actor.user, action=Action.MEMBER_ROLE, subject=subject)
    return revoked


@transaction.atomic
def member_remove(*, actor: Membership, membership: Membership) -> list[str]:
    """Remove another member. Returns the names of tokens that were revoked with it."""
    organization, membership = _other_member(actor, membership, "To go yourself, leave the organization.")
    role = Role(membership.role).label.lower()
    return _end(
        organization, membership, actor.user, Action.MEMBER_REMOVED, f"{_name_and_email(membership.user)}, {role}"
    )


@transaction.atomic
def member_leave(*, membership: Membership) -> None:
    """Raises ValidationError for the last owner."""
    organization = Organization.objects.select_for_update(no_key=True).get(pk=membership.organization_id)
    membership = Membership.objects.select_related("user").get(pk=membership.pk)
    others = Membership.objects.filter(organization=organization, role=Role.OWNER).exclude(pk=membership.pk)
    if membership.role == Role.OWNER and not others.exists():
        raise ValidationError(LAST_OWNER)
    _end(organization, membership, membership.user, Action.MEMBER_LEFT, _name_and_email(membership.user))


def _other_member(actor: Membership, membership: Membership, oneself: str) -> tuple[Organization, Membership]:
    """The locked organization and the membership as stored. Raises PermissionDenied, for the actor's own with `oneself`."""
    organization = organization_lock(actor)
    if membership.pk == actor.pk:
        raise PermissionDenied(oneself)
    return organization, Membership.objects.select_related("user").get(pk=membership.pk, organization=organization)


def _end(organization: Organization, membership: Membership, actor: User, action: Action, subject: str) -> list[str]:
    Membership.objects.filter(pk=membership.pk).delete()
    revoked = _end_ownership(organization, membership.user, actor)
    for listener in (*hooks.member_removed, *(hooks.owner_removed if membership.role == Role.OWNER else ())):
        listener(organization, membership.user)
    audit_record(organization=organization, actor=actor, action=action, subject=subject)
    return revoked


def _end_ownership(organization: Organization, user: User, actor: User) -> list[str]:
    """A former owner must not return by a link they made, nor act with a token they have seen."""
    Invitation.objects.filter(Invitation.open_now(), organization=organization, invited_by=user).update(
        revoked_at=timezone.now()
    )
    return [name for listener in hooks.ownership_ended for name in listener(organization, user, actor)]


def _name_and_email(user: User) -> str:
    return f"{user.shown_name} ({user.email})"
