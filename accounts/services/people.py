"""Accounts of people, invitations, and the proof that an account belongs to its person.

An address is proved when its owner followed a mailed link, or when an identity provider verified it. Until then
somebody else may have created the account and prepared a way in.
"""

import secrets
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone

from accounts import hooks
from accounts.email_addresses import ascii_lower, validate_address
from accounts.models import Action, Invitation, Membership, Organization, Role, User
from accounts.secrets import token_hash
from accounts.selectors import person_of_address
from accounts.services.audit import audit_record
from accounts.services.organizations import name_and_email, organization_lock


def person_keep_address(*, user: User) -> None:
    """Store the current address as django-allauth's EmailAddress if none is stored. This does not prove it."""
    if user.email and not EmailAddress.objects.filter(user=user, primary=True).exists():
        EmailAddress.objects.update_or_create(user=user, email=user.email, defaults={"primary": True})


def first_steps_dismiss(*, user: User) -> None:
    """Stop showing the person the first steps on the home page."""
    User.objects.filter(pk=user.pk).update(first_steps_done=True)


def run_opened(*, user: User) -> None:
    """Store that the person has opened the page of a run."""
    if not user.has_opened_run:
        User.objects.filter(pk=user.pk).update(has_opened_run=True)


VISIT_BREAK = timedelta(minutes=30)
"""A person who opens the home page after a longer break begins a new visit."""


def home_visit(*, user: User) -> datetime | None:
    """Store that the person opens the home page. Returns the time of the previous visit; None in the first visit."""
    now = timezone.now()
    begins = user.home_seen_at is None or now - user.home_seen_at > VISIT_BREAK
    before = user.home_seen_at if begins else user.home_seen_before
    User.objects.filter(pk=user.pk).update(home_seen_at=now, home_seen_before=before)
    return before


def address_is_proved(user: User) -> bool:
    return EmailAddress.objects.filter(user=user, email=user.email, verified=True).exists()


@transaction.atomic
def address_prove(*, user: User) -> None:
    """Mark the address as proved."""
    person_keep_address(user=user)
    # An address belongs to one account. Other accounts can only have requested a change to it.
    EmailAddress.objects.filter(email=user.email).exclude(user=user).delete()
    EmailAddress.objects.filter(user=user, email=user.email).update(verified=True)


@transaction.atomic
def account_claim(
    *, user: User, way: str, identity: int | None = None, keep_second_factors: bool = False
) -> list[str] | None:
    """Mark the address as proved and end every other access to the account, which somebody else may have prepared.

    way: how the address was proved, in words
    identity: id of the SocialAccount of this sign-on, which is kept
    Returns descriptions of what was ended, or None if the address was proved before.
    """
    User.objects.select_for_update(no_key=True).get(pk=user.pk)
    if address_is_proved(user):
        return None
    ended = ["the password"] if user.has_usable_password() else []
    # Done even if there is no password, because it also invalidates mailed links for a new one.
    user.set_unusable_password()
    user.save(update_fields=["password"])
    person_sign_out_everywhere(user=user)
    factors = Authenticator.objects.none() if keep_second_factors else Authenticator.objects.filter(user=user)
    rows = (
        (UserSession.objects.filter(user=user), "every other browser"),
        (SocialAccount.objects.filter(user=user).exclude(pk=identity), "other single sign-ons"),
        (EmailAddress.objects.filter(user=user, primary=False), "a change of e-mail"),
        (factors, "two-factor log-in"),
    )
    ended += [label for queryset, label in rows if queryset.delete()[0]]
    ended += [label for listener in hooks.account_claimed if (label := listener(user))]
    address_prove(user=user)
    suffix = f"; ended: {', '.join(ended)}" if ended else ""
    _audit_everywhere(user, user, Action.ADDRESS_PROVED, f"{name_and_email(user)}, by {way}{suffix}")
    return ended


def owner_create(*, username: str, email: str) -> tuple[User, str]:
    """Create a user with a random password. Returns both; the password is stored only as a hash."""
    password = secrets.token_urlsafe(12)
    return User.objects.create_user(username, email, password), password


def person_rename(*, user: User, full_name: str) -> None:
    """Change the person's name. Raises ValidationError for the field full_name."""
    full_name = " ".join(full_name.split())
    if len(full_name) > 150 or not full_name.isprintable():
        raise ValidationError({"full_name": "A name has at most 150 characters."})
    user.first_name, _, user.last_name = full_name.partition(" ")
    user.save(update_fields=["first_name", "last_name"])


def person_sign_out_everywhere(*, user: User) -> None:
    """End every session of the person. The caller keeps its own with update_session_auth_hash."""
    User.objects.filter(pk=user.pk).update(session_epoch=F("session_epoch") + 1)
    user.refresh_from_db(fields=["session_epoch"])


@transaction.atomic
def person_note_failed_sign_ins(*, user: User, failures: int) -> None:
    """Record failed log-ins in the audit log of every organization of the person."""
    _audit_everywhere(user, None, Action.SIGN_IN_FAILED, f"{name_and_email(user)}: {failures} in a row")


def _audit_everywhere(user: User, actor: User | None, action: Action, subject: str) -> None:
    for organization in Organization.objects.filter(memberships__user=user):
        audit_record(organization=organization, actor=actor, action=action, subject=subject)


TOKEN_BYTES = 16
VALID_FOR = timedelta(days=7)
DEAD = "This invitation is not valid any more. Ask for a new one."


@transaction.atomic
def invitation_create(*, actor: Membership, email: str, role: str, mailed: bool = False) -> tuple[Invitation, str]:
    """Create an invitation, and revoke earlier ones to the same address. Returns it and its token.

    The token is stored only as a hash.
    mailed: the caller mails the token to the address and shows it to nobody
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
    # Expired invitations are revoked too, so that the list shows one line for each address.
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
        audit_record(
            organization=organization, actor=actor.user, action=Action.INVITATION_REVOKED, subject=invitation.email
        )


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
    audit_record(
        organization=organization,
        actor=user,
        action=Action.MEMBER_JOINED,
        subject=f"{name_and_email(user)}, {Role(invitation.role).label.lower()}{other}",
    )
    return membership


@transaction.atomic
def invitation_accept_new(*, invitation: Invitation, username: str, full_name: str, password: str) -> User:
    """Create an account with the invitation's address and accept. Raises ValidationError, and then creates nothing."""
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
    """Return the open invitation whose link has this token, or None."""
    rows = Invitation.objects.select_related("organization", "invited_by")
    return rows.filter(Invitation.open_now(), token_hash=token_hash(token)).first()


def _open(organization: Organization) -> QuerySet[Invitation]:
    return Invitation.objects.filter(Invitation.open_now(), organization=organization)
