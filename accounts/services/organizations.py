import secrets

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import ProtectedError
from django.utils import timezone
from django.utils.text import slugify

from accounts import hooks
from accounts.models import Action, Endpoint, Invitation, Membership, Organization, Provider, Role, User
from accounts.services.audit import audit_record
from accounts.services.endpoints import ENVIRONMENT_KEYS

MAX_NAME = 100
MOST_OWNED = 10
"""The most organizations that one person may own. Each adds agents, endpoints and limits."""


@transaction.atomic
def organization_create(
    *, name: str, owner: User, slug: str = "", allow_environment_keys: bool = False
) -> Organization:
    """Create an organization, its first owner, and an endpoint for each provider. Raises ValidationError for `name`.

    allow_environment_keys: whether its agents may use the keys of the site's environment, which the operator decides
    """
    name = _name(name)
    # The lock lets simultaneous requests of one person count each other.
    User.objects.select_for_update(no_key=True).get(pk=owner.pk)
    if Membership.objects.filter(user=owner, role=Role.OWNER).count() >= MOST_OWNED:
        raise ValidationError(
            {"name": f"You own {MOST_OWNED} organizations already. Delete one before making another."}
        )
    if not slug:
        slug = slugify(name)[:40] or "organization"
        # If two requests choose the same slug at once, the unique constraint refuses one of them.
        if Organization.objects.filter(slug=slug).exists():
            slug = f"{slug}-{secrets.token_hex(4)}"
    organization = Organization.objects.create(name=name, slug=slug, allow_environment_keys=allow_environment_keys)
    Membership.objects.create(organization=organization, user=owner, role=Role.OWNER)
    for provider in (Provider.ANTHROPIC, Provider.OPENAI):
        Endpoint.objects.create(
            organization=organization,
            name=Provider(provider).label,
            provider=provider,
            key_variable=ENVIRONMENT_KEYS[provider],
        )
    audit_record(organization=organization, actor=owner, action=Action.ORGANIZATION_CREATED, subject=name)
    for installed in hooks.organization_created:
        installed(organization)
    return organization


@transaction.atomic
def organization_allow_environment_keys(*, organization: Organization, allowed: bool) -> None:
    """Allow or forbid the keys of the site's environment. No page calls this, because the operator owns the keys."""
    organization.allow_environment_keys = allowed
    organization.save(update_fields=["allow_environment_keys"])
    audit_record(
        organization=organization,
        actor=None,
        action=Action.ENVIRONMENT_KEYS_ALLOWED if allowed else Action.ENVIRONMENT_KEYS_REFUSED,
        subject=organization.name,
    )


@transaction.atomic
def organization_rename(*, actor: Membership, name: str) -> None:
    """Rename the organization. Raises ValidationError for `name`, PermissionDenied unless the actor is an owner now."""
    organization = organization_lock(actor)
    name, old = _name(name), organization.name
    if name == old:
        return
    organization.name = name
    organization.save(update_fields=["name"])
    audit_record(
        organization=organization, actor=actor.user, action=Action.ORGANIZATION_RENAMED, subject=f"{old} → {name}"
    )


def organization_delete(*, actor: Membership, typed_name: str) -> None:
    """Delete the organization and everything in it. Raises ValidationError for the field `name`.

    typed_name: the name as the actor typed it to confirm
    """
    with transaction.atomic():
        organization = organization_lock(actor)
        if typed_name.strip() != organization.name:
            raise ValidationError({"name": "Type the name exactly as it is shown."})
        if Membership.objects.filter(user=actor.user).count() == 1:
            raise ValidationError({"name": "This is your only organization. Create or join another one first."})
    for prepare in hooks.organization_deleting:
        prepare(organization)
    try:
        with transaction.atomic():
            for member in User.objects.filter(memberships__organization=organization):
                for listener in hooks.member_removed:
                    listener(organization, member)
            organization.delete()
    except ProtectedError:
        raise ValidationError({"name": "Something was launched meanwhile. Try again."}) from None


def organization_lock(actor: Membership) -> Organization:
    """Lock and return the organization, so that changes of its members queue.

    Raises PermissionDenied unless the actor is an owner now.
    """
    organization = Organization.objects.select_for_update(no_key=True).filter(pk=actor.organization_id).first()
    # Read again under the lock: of two owners who demote each other at the same moment, one stays owner.
    if organization is None or not Membership.objects.filter(pk=actor.pk, role=Role.OWNER).exists():
        raise PermissionDenied("Only owners of the organization may do this.")
    return organization


def _name(name: str) -> str:
    name = name.strip()
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        raise ValidationError({"name": f"A name has 1 to {MAX_NAME} characters."})
    return name


LAST_OWNER = "An organization needs an owner. Make another member an owner first."


@transaction.atomic
def member_set_role(*, actor: Membership, membership: Membership, role: str) -> list[str]:
    """Change the role of another member; return the names of revoked tokens. Raises ValidationError for `role`."""
    organization, membership = _other_member(actor, membership, "Nobody changes their own role. Ask another owner.")
    if role not in Role.values:
        raise ValidationError({"role": "Choose one of the roles."})
    if membership.role == role:
        return []
    subject = f"{name_and_email(membership.user)}: {Role(membership.role).label} → {Role(role).label}"
    membership.role = role
    membership.save(update_fields=["role"])
    revoked = [] if role == Role.OWNER else _end_ownership(organization, membership.user, actor.user)
    audit_record(organization=organization, actor=actor.user, action=Action.MEMBER_ROLE, subject=subject)
    return revoked


@transaction.atomic
def member_remove(*, actor: Membership, membership: Membership) -> list[str]:
    """Remove another member. Returns the names of the tokens that were revoked."""
    organization, membership = _other_member(actor, membership, "To go yourself, leave the organization.")
    subject = f"{name_and_email(membership.user)}, {Role(membership.role).label.lower()}"
    return _end(organization, membership, actor.user, Action.MEMBER_REMOVED, subject)


@transaction.atomic
def member_leave(*, membership: Membership) -> None:
    """End the person's own membership. Raises ValidationError for the last owner."""
    organization = Organization.objects.select_for_update(no_key=True).get(pk=membership.organization_id)
    membership = Membership.objects.select_related("user").get(pk=membership.pk)
    others = Membership.objects.filter(organization=organization, role=Role.OWNER).exclude(pk=membership.pk)
    if membership.role == Role.OWNER and not others.exists():
        raise ValidationError(LAST_OWNER)
    _end(organization, membership, membership.user, Action.MEMBER_LEFT, name_and_email(membership.user))


def _other_member(actor: Membership, membership: Membership, oneself: str) -> tuple[Organization, Membership]:
    """Lock the organization, and return it and the stored membership. Raises PermissionDenied if the actor is no owner.

    oneself: text of the PermissionDenied if the membership is the actor's own
    """
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
    """Revoke what would let a former owner back in: invitations they made and tokens they have seen.

    Returns the names of the revoked tokens.
    """
    Invitation.objects.filter(Invitation.open_now(), organization=organization, invited_by=user).update(
        revoked_at=timezone.now()
    )
    return [name for listener in hooks.ownership_ended for name in listener(organization, user, actor)]


def name_and_email(user: User) -> str:
    return f"{user.shown_name} ({user.email})"
