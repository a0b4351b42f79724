"""Create and revoke API tokens."""

import secrets
from collections.abc import Sequence
from datetime import datetime, timedelta

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Q
from django.utils import timezone

from accounts.models import Action, Membership, Organization, Role, User
from accounts.secrets import token_hash
from accounts.services.audit import audit_record
from accounts.services.organizations import organization_lock
from api.models import ApiToken, Scope
from infrastructure.text.formats import counted

PREFIX = "ee_"
"""The prefix by which scanners find leaked tokens."""

RANDOM_BYTES = 20
MAX_NAME = 100
MOST_TOKENS = 50
"""The most valid tokens of one person, and the most valid service tokens of one organization."""

LONGEST = timedelta(days=366)


@transaction.atomic
def personal_token_create(
    *, actor: Membership, name: str, scopes: Sequence[str], expires_at: datetime
) -> tuple[ApiToken, str]:
    """Create a token that acts as the person in this organization; return it with its text.

    Only a hash of the text is stored.

    Raises ValidationError by field, and PermissionDenied if the person is no longer a member.
    """
    organization = Organization.objects.select_for_update(no_key=True).filter(pk=actor.organization_id).first()
    membership = Membership.objects.select_related("user").filter(pk=actor.pk).first()
    if organization is None or membership is None:
        raise PermissionDenied("You are not a member of this organization.")
    if not membership.may_edit and set(scopes) - {Scope.READ}:
        raise ValidationError({"scopes": "Viewers make tokens that read. Ask an owner to make you an editor."})
    return _create(membership, name, scopes, expires_at, user=membership.user)


@transaction.atomic
def service_token_create(
    *, actor: Membership, name: str, role: str, scopes: Sequence[str], expires_at: datetime
) -> tuple[ApiToken, str]:
    """Create a service token of the organization; return it with its text, of which only a hash is stored.

    Raises ValidationError by field, and PermissionDenied unless the actor is an owner.
    """
    organization_lock(actor)
    if role not in (Role.EDITOR, Role.VIEWER):
        raise ValidationError({"role": "Choose editor or viewer."})
    if role == Role.VIEWER and set(scopes) - {Scope.READ}:
        raise ValidationError({"scopes": "A viewer only reads; choose the role of an editor for more."})
    return _create(actor, name, scopes, expires_at, role=role)


def _create(
    actor: Membership,
    name: str,
    scopes: Sequence[str],
    expires_at: datetime,
    *,
    user: User | None = None,
    role: str = "",
) -> tuple[ApiToken, str]:
    name = name.strip()
    valid = ApiToken.objects.filter(ApiToken.alive_now(), organization=actor.organization_id, user=user)
    errors: dict[str, str] = {}
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        errors["name"] = f"A name has 1 to {MAX_NAME} characters."
    elif valid.filter(name=name).exists():
        errors["name"] = "There is a token of this name already."
    elif valid.count() >= MOST_TOKENS:
        errors["name"] = f"There are {MOST_TOKENS} tokens already. Revoke one that is no longer used."
    if not scopes or set(scopes) - set(Scope.values):
        errors["scopes"] = "Choose at least one scope."
    if not timezone.now() < expires_at <= timezone.now() + LONGEST:
        errors["expires"] = "A token is valid for a day to a year."
    if errors:
        raise ValidationError(errors)
    text = PREFIX + secrets.token_hex(RANDOM_BYTES)
    token = ApiToken.objects.create(
        organization_id=actor.organization_id,
        user=user,
        role=role,
        name=name,
        scopes=[scope for scope in Scope.values if scope in scopes],
        token_hash=token_hash(text),
        last_four=text[-4:],
        created_by=actor.user,
        expires_at=expires_at,
    )
    _audit(actor.organization, actor.user, Action.TOKEN_MADE, token)
    return token, text


@transaction.atomic
def token_revoke(*, actor: Membership, token: ApiToken) -> None:
    """Revoke one's own token, or as an owner any token of the organization. Raises PermissionDenied."""
    if token.organization_id != actor.organization_id:
        raise PermissionDenied("This token belongs to another organization.")
    if token.user_id != actor.user_id:
        organization_lock(actor)
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        _audit(actor.organization, actor.user, Action.TOKEN_REVOKED, token)


def tokens_end(organization: Organization, user: User | None = None) -> None:
    """Revoke a former member's tokens, or all tokens of an organization before it is deleted. A hook of accounts."""
    owner = Q(organization=organization, user=user) if user else Q(organization=organization)
    ApiToken.objects.filter(owner, revoked_at=None).update(revoked_at=timezone.now())


def tokens_forget_maker(organization: Organization, maker: User, actor: User) -> list[str]:
    """Revoke the service tokens that a former owner created, since that person has seen them.

    Returns their names. A hook of accounts.
    """
    tokens = ApiToken.objects.filter(ApiToken.alive_now(), organization=organization, user=None, created_by=maker)
    revoked = list(tokens.select_for_update(no_key=True).order_by("id"))
    for token in revoked:
        ApiToken.objects.filter(pk=token.pk).update(revoked_at=timezone.now())
        _audit(organization, actor, Action.TOKEN_REVOKED, token, f", made by {maker.shown_name}")
    return [str(token) for token in revoked]


def tokens_end_of_person(user: User) -> str:
    """Revoke the person's tokens in every organization; return a phrase with their number. A hook of accounts."""
    ended = ApiToken.objects.filter(ApiToken.alive_now(), user=user).update(revoked_at=timezone.now())
    return counted(ended, "API token,API tokens") if ended else ""


def _audit(organization: Organization, actor: User, action: Action, token: ApiToken, more: str = "") -> None:
    whose = f"of {token.user.shown_name}" if token.user else f"of the organization, {Role(token.role).label.lower()}"
    subject = f"{token.name} (…{token.last_four}), {whose}, {token.scope_labels}{more}"
    audit_record(organization=organization, actor=actor, action=action, subject=subject)
