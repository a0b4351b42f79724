"""Writes to organizations and endpoints."""

from __future__ import annotations

import os
import secrets

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.addresses import check_base_url, origin
from accounts.models import Endpoint, Membership, Organization, Provider, Role, User
from accounts.secrets import seal, unseal

ENVIRONMENT_KEYS = {Provider.OPENAI: "OPENAI_API_KEY", Provider.ANTHROPIC: "ANTHROPIC_API_KEY"}
MAX_KEY_LENGTH = 500


@transaction.atomic
def organization_create(*, name: str, slug: str, owner: User, allow_environment_keys: bool = False) -> Organization:
    organization = Organization.objects.create(name=name, slug=slug, allow_environment_keys=allow_environment_keys)
    Membership.objects.create(organization=organization, user=owner, role=Role.OWNER)
    for provider in (Provider.ANTHROPIC, Provider.OPENAI):
        Endpoint.objects.create(
            organization=organization,
            name=Provider(provider).label,
            provider=provider,
            key_variable=ENVIRONMENT_KEYS[provider],
        )
    return organization


def owner_create(*, username: str, email: str) -> tuple[User, str]:
    """A user with a generated password, which is returned once and stored only as a hash."""
    password = secrets.token_urlsafe(12)
    return User.objects.create_user(username, email, password), password


def endpoint_create(
    *, organization: Organization, name: str, provider: str, base_url: str = "", key: str = ""
) -> Endpoint:
    """Raises ValidationError with a sentence for each wrong field."""
    errors: dict[str, str] = {}
    name = name.strip()
    if not name:
        errors["name"] = "Give the endpoint a name."
    elif Endpoint.objects.filter(organization=organization, name=name).exists():
        errors["name"] = "There is an endpoint of this name already."
    if provider not in Provider.values:
        errors["provider"] = "Choose one of the providers."
    if provider == Provider.COMPATIBLE and not base_url.strip():
        errors["base_url"] = "An OpenAI-compatible endpoint needs its address, such as http://127.0.0.1:8080/v1."
    elif base_url.strip():
        try:
            base_url = check_base_url(base_url)
        except ValidationError as error:
            errors["base_url"] = error.messages[0]
    if errors:
        raise ValidationError(errors)
    endpoint = Endpoint(organization=organization, name=name, provider=provider, base_url=base_url.strip())
    if key:
        _put_key(endpoint, key)
    endpoint.save()
    return endpoint


def endpoint_set_key(*, endpoint: Endpoint, key: str) -> None:
    """Replace the key; an empty one removes it. Raises ValidationError."""
    _put_key(endpoint, key)
    endpoint.save(update_fields=["sealed_key", "key_last_four"])


def endpoint_delete(*, endpoint: Endpoint) -> None:
    """Raises ValidationError while agents use it."""
    if endpoint.agents.exists():
        raise ValidationError({"endpoint": "Agents use this endpoint; it stays as long as they do."})
    endpoint.delete()


def endpoint_key(endpoint: Endpoint) -> str:
    """The key to call this endpoint with, empty where there is none. Raises KeyUnreadable."""
    if endpoint.has_key:
        return unseal(bytes(endpoint.sealed_key), _context(endpoint))
    if endpoint.key_variable and endpoint.organization.allow_environment_keys:
        return os.environ.get(endpoint.key_variable, "").strip()
    return ""


def _put_key(endpoint: Endpoint, key: str) -> None:
    key = key.strip()
    if len(key) > MAX_KEY_LENGTH or any(not 32 < ord(c) < 127 for c in key):
        raise ValidationError({"key": "A key is at most 500 characters without spaces or special characters."})
    endpoint.sealed_key = seal(key, _context(endpoint)) if key else b""
    endpoint.key_last_four = key[-4:] if len(key) >= 12 else ""


def _context(endpoint: Endpoint) -> str:
    return f"{endpoint.organization_id}|{endpoint.provider}|{origin(endpoint.base_url)}"
