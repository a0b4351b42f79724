"""Writes of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.utils import timezone

from accounts.models import Action, Membership, Organization, Role, User
from accounts.services import audit_record
from accounts.services.organizations import organization_lock
from api.models import ApiToken, Scope
from api.tokens import new_token, token_hash

MAX_NAME = 100
MOST_TOKENS = 50
"""Of one person, or of the organization itself, that are valid at the same time."""

LONGEST = timedelta(days=366)
SERVICE_ROLES = (Role.EDITOR, Role.VIEWER)


@transaction.atomic
def personal_token_create(
    *, actor: Membership, name: str, scopes: Sequence[str], expires_at: datetime
) -> tuple[ApiToken, str]:
    """A token that acts as the person in this organization. The text is returned once and stored only as a hash.

    Raises ValidationError by field, PermissionDenied for who is no member now.
    """
    organization = Organization.objects.select_for_update().filter(pk=actor.organization_id).first()
    membership = Membership.objects.select_related("user").filter(pk=actor.pk).first()
    if organization is None or membership is None:
        raise PermissionDenied("You are no member of this organization.")
    own = ApiToken.objects.filter(organization=organization, user=membership.user)
    if not membership.may_edit and set(scopes) - {Scope.READ}:
        raise ValidationError({"scopes": "Viewers make tokens that read. Ask an owner to make you an editor."})
    return _create(own, membership, name, scopes, expires_at, user=membership.user)


@transaction.atomic
def service_token_create(
    *, actor: Membership, name: str, role: str, scopes: Sequence[str], expires_at: datetime
) -> tuple[ApiToken, str]:
    """A token of the organization itself, as personal_token_create. Raises PermissionDenied unless the actor owns it now."""
    organization = organization_lock(actor)
    if role not in SERVICE_ROLES:
        raise ValidationError({"role": "Choose editor or viewer."})
    if role == Role.VIEWER and set(scopes) - {Scope.READ}:
        raise ValidationError({"scopes": "A viewer only reads; choose the role of an editor for more."})
    own = ApiToken.objects.filter(organization=organization, user=None)
    return _create(own, actor, name, scopes, expires_at, role=role)


def _create(own, actor: Membership, name: str, scopes: Sequence[str], expires_at: datetime, **kind: object):
    name = name.strip()
    errors: dict[str, str] = {}
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        errors["name"] = f"A name has 1 to {MAX_NAME} characters."
    elif own.filter(ApiToken.alive_now(), name=name).exists():
        errors["name"] = "There is a token of this name already."
    elif own.filter(ApiToken.alive_now()).count() >= MOST_TOKENS:
        errors["name"] = f"There are {MOST_TOKENS} tokens already. Revoke one that is not used any more."
    if not scopes or set(scopes) - set(Scope.values):
        errors["scopes"] = "Choose at least one scope."
    if not timezone.now() < expires_at <= timezone.now() + LONGEST:
        errors["expires"] = "A token is valid for a day to a year."
    if errors:
        raise ValidationError(errors)
    text = new_token()
    token = ApiToken.objects.create(
        organization_id=actor.organization_id,
        name=name,
        scopes=[scope for scope in Scope.values if scope in scopes],
        token_hash=token_hash(text),
        last_four=text[-4:],
        created_by=actor.user,
        expires_at=expires_at,
        **kind,
    )
    _record(actor, Action.TOKEN_MADE, token)
    return token, text


@transaction.atomic
def token_revoke(*, actor: Membership, token: ApiToken) -> None:
    """End a token at once: one's own, or as an owner any of the organization. Raises PermissionDenied."""
    if token.organization_id != actor.organization_id:
        raise PermissionDenied("This token belongs to another organization.")
    if token.user_id != actor.user_id:
        organization_lock(actor)
    if ApiToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now()):
        _record(actor, Action.TOKEN_REVOKED, token)


def tokens_end(*, organization: Organization, user: User | None = None) -> None:
    """End a former member's tokens, or all of an organization that is about to go."""
    tokens = ApiToken.objects.filter(organization=organization, revoked_at=None)
    if user is not None:
        tokens = tokens.filter(user=user)
    tokens.update(revoked_at=timezone.now())


def tokens_forget_maker(*, organization: Organization, maker: User, actor: User) -> list[str]:
    """Revoke the organization's own tokens that the person made, and so has seen; their names."""
    tokens = ApiToken.objects.filter(ApiToken.alive_now(), organization=organization, user=None, created_by=maker)
    revoked = list(tokens.select_for_update().order_by("id"))
    for token in revoked:
        ApiToken.objects.filter(pk=token.pk).update(revoked_at=timezone.now())
        _write_down(organization, actor, Action.TOKEN_REVOKED, token, f", made by {maker.shown_name}")
    return [str(token) for token in revoked]


def tokens_end_of_person(*, user: User) -> int:
    """End the person's tokens in every organization; how many there were."""
    return ApiToken.objects.filter(ApiToken.alive_now(), user=user).update(revoked_at=timezone.now())


def _record(actor: Membership, action: Action, token: ApiToken) -> None:
    _write_down(actor.organization, actor.user, action, token)


def _write_down(organization: Organization, actor: User, action: Action, token: ApiToken, more: str = "") -> None:
    whose = f"of {token.user.shown_name}" if token.user else f"of the organization, {Role(token.role).label.lower()}"
    subject = f"{token.name} (…{token.last_four}), {whose}, {token.scope_labels}{more}"
    audit_record(organization=organization, actor=actor, action=action, subject=subject)
