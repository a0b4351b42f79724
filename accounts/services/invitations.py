import secrets
from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from accounts.email_addresses import ascii_lower, validate_address
from accounts.models import Action, Invitation, Membership, Organization, Role, User
from accounts.secrets import token_hash
from accounts.selectors import person_of_address
from accounts.services.audit import audit_record
from accounts.services.organizations import organization_lock
from accounts.services.people import address_prove, person_keep_address

TOKEN_BYTES = 16
VALID_FOR = timedelta(days=7)
DEAD = "This invitation is not valid any more. Ask for a new one."


@transaction.atomic
def invitation_create(*, actor: Membership, email: str, role: str, mailed: bool = False) -> tuple[Invitation, str]:
    """An invitation and its token, which is returned once and stored only as a hash. Replaces an open one to the address.

    `mailed` says that the caller sends the token to the address and shows it to nobody.
    Raises ValidationError for the fields email and role, PermissionDenied unless the actor is an owner now.
    """
    organization = organization_lock(actor)
    email = ascii_lower(email.strip())
    errors: dict[str, str] = {}
    try:
        validate_address(email)
    except ValidationError:
        errors["email"] = "Type an e-mail address, such as ada@example.org."
    if Membership.objects.filter(organization=organization, user__email=email).exists():
        errors["email"] = "This person is a member already."
    if role not in Role.values:
        errors["role"] = "Choose one of the roles."
    if errors:
        raise ValidationError(errors)
    # An expired one is replaced too: the list shows one line for each address.
    Invitation.objects.filter(organization=organization, email=email, accepted_at=None, revoked_at=None).update(
        revoked_at=timezone.now()
    )
    token = secrets.token_urlsafe(TOKEN_BYTES)
    invitation = Invitation.objects.create(
        organization=organization,
        email=email,
        role=role,
        token_hash=token_hash(token),
        invited_by=actor.user,
        mailed=mailed,
        expires_at=timezone.now() + VALID_FOR,
    )
    subject = f"{email}, {Role(role).label.lower()}"
    audit_record(organization=organization, actor=actor.user, action=Action.INVITATION_MADE, subject=subject)
    return invitation, token


@transaction.atomic
def invitation_revoke(*, actor: Membership, invitation: Invitation) -> None:
    organization = organization_lock(actor)
    if _open(organization).filter(pk=invitation.pk).update(revoked_at=timezone.now()):
        action, subject = Action.INVITATION_REVOKED, invitation.email
        audit_record(organization=organization, actor=actor.user, action=action, subject=subject)


@transaction.atomic
def invitation_accept(*, invitation: Invitation, user: User) -> Membership:
    """Accept the invitation. Raises ValidationError if it is no longer valid or the person is already a member."""
    organization = Organization.objects.select_for_update(no_key=True).filter(pk=invitation.organization_id).first()
    if organization is None:
        raise ValidationError(DEAD)
    if Membership.objects.filter(organization=organization, user=user).exists():
        raise ValidationError(f"You are a member of {organization.name} already.")
    if not _open(organization).filter(pk=invitation.pk).update(accepted_at=timezone.now()):
        raise ValidationError(DEAD)
    membership = Membership.objects.create(organization=organization, user=user, role=invitation.role)
    if invitation.mailed and user.email == invitation.email:
        address_prove(user=user)
    other = "" if user.email == invitation.email else f", invited as {invitation.email}"
    subject = f"{user.shown_name} ({user.email}), {Role(invitation.role).label.lower()}{other}"
    audit_record(organization=organization, actor=user, action=Action.MEMBER_JOINED, subject=subject)
    return membership


@transaction.atomic
def invitation_accept_new(*, invitation: Invitation, username: str, full_name: str, password: str) -> User:
    """Create an account with the invitation's address and accept. On ValidationError nothing is created."""
    if User.objects.filter(username__iexact=User.normalize_username(username)).exists():
        raise ValidationError({"username": "This user name is taken."})
    if person_of_address(invitation.email):
        raise ValidationError("There is an account with this address. Log in with it first.")
    first, _, last = full_name.strip().partition(" ")
    user = User.objects.create_user(username, invitation.email, password, first_name=first[:150], last_name=last[:150])
    person_keep_address(user=user)
    invitation_accept(invitation=invitation, user=user)
    return user


def invitation_of(token: str) -> Invitation | None:
    """The open invitation of a link."""
    rows = Invitation.objects.select_related("organization", "invited_by")
    return rows.filter(Invitation.open_now(), token_hash=token_hash(token)).first()


def _open(organization: Organization) -> QuerySet[Invitation]:
    return Invitation.objects.filter(Invitation.open_now(), organization=organization)
