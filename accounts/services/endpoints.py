"""Services for endpoints, their keys and their extra headers."""

import os

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts.addresses import check_base_url
from accounts.models import Action, Endpoint, Organization, Provider, User
from accounts.secrets import seal, unseal
from accounts.services.audit import audit_record
from accounts.services.headers import Headers, check_key_is_sent_once, headers_read, headers_seal, headers_unseal
from agents.addresses import parts_of

ENVIRONMENT_KEYS = {Provider.OPENAI: "OPENAI_API_KEY", Provider.ANTHROPIC: "ANTHROPIC_API_KEY"}
MAX_KEY_LENGTH = 500


@transaction.atomic
def endpoint_create(
    *,
    organization: Organization,
    name: str,
    provider: str,
    base_url: str = "",
    key: str = "",
    headers: str = "",
    actor: User | None = None,
) -> Endpoint:
    """Create an endpoint. Raises ValidationError with a sentence for each wrong field.

    headers: extra headers, one `Name: value` a line
    """
    errors: dict[str, str] = {}
    name = name.strip()
    if not name:
        errors["name"] = "Give the endpoint a name."
    elif Endpoint.objects.filter(organization=organization, name=name).exists():
        errors["name"] = "There is an endpoint of this name already."
    if provider not in Provider.values:
        errors["provider"] = "Choose one of the providers."
    try:
        base_url = _base_url(provider, base_url)
    except ValidationError as error:
        errors["base_url"] = error.messages[0]
    if errors:
        raise ValidationError(errors)
    endpoint = Endpoint(organization=organization, name=name, provider=provider, base_url=base_url)
    _seal_key(endpoint, key)
    _seal_headers(endpoint, headers)
    endpoint.save()
    _audit(endpoint, actor, Action.ENDPOINT_ADDED, f"{name}, {base_url or 'the provider'}")
    if endpoint.has_key:
        _audit_key(endpoint, actor, Action.KEY_ADDED)
    if endpoint.header_names:
        _audit_headers(endpoint, actor)
    return endpoint


@transaction.atomic
def endpoint_set_key(*, endpoint: Endpoint, key: str, actor: User | None = None) -> None:
    """Replace the key; an empty one removes it. Raises ValidationError."""
    had = endpoint.has_key
    _seal_key(endpoint, key)
    endpoint.save(update_fields=["sealed_key", "key_last_four"])
    if endpoint.has_key:
        _audit_key(endpoint, actor, Action.KEY_REPLACED if had else Action.KEY_ADDED)
    elif had:
        _audit_key(endpoint, actor, Action.KEY_REMOVED)


@transaction.atomic
def endpoint_set_headers(*, endpoint: Endpoint, headers: str, actor: User | None = None) -> None:
    """Replace the extra headers; an empty text removes them. Raises ValidationError."""
    had = endpoint.header_names
    _seal_headers(endpoint, headers)
    endpoint.save(update_fields=["sealed_headers", "header_names"])
    if had or endpoint.header_names:
        _audit_headers(endpoint, actor)


@transaction.atomic
def endpoint_move(
    *, endpoint: Endpoint, base_url: str, key: str = "", headers: str = "", actor: User | None = None
) -> None:
    """Change the address. Raises ValidationError by field.

    A key is bound to its address. A change of the address, even of the path alone, needs the key again, because paths
    of a gateway may belong to different people. The same holds for keys from environment variables and for extra headers.
    People who no longer know the key or the headers can remove them by endpoint_set_key and endpoint_set_headers.
    """
    try:
        base_url = _base_url(endpoint.provider, base_url)
    except ValidationError as error:
        raise ValidationError({"base_url": error.messages[0]}) from None
    old = endpoint.base_url
    if base_url == old and not key and not headers.strip():
        return
    if base_url != old and not key.strip() and (endpoint.has_key or endpoint.environment_variable):
        raise ValidationError({"key": "The key in use belongs to the old address. Type the key of the new one."})
    if base_url != old and not headers.strip() and endpoint.header_names:
        raise ValidationError({"headers": "The extra headers belong to the old address. Type those of the new one."})
    endpoint.base_url = base_url
    try:
        if key.strip():
            _seal_key(endpoint, key)
        if headers.strip():
            _seal_headers(endpoint, headers)
    except ValidationError:
        endpoint.refresh_from_db()
        raise
    endpoint.save(update_fields=["base_url", "sealed_key", "key_last_four", "sealed_headers", "header_names"])
    _audit(
        endpoint,
        actor,
        Action.ENDPOINT_MOVED,
        f"{endpoint.name}: {old or 'the provider'} → {base_url or 'the provider'}",
    )
    if key.strip():
        _audit_key(endpoint, actor, Action.KEY_REPLACED)
    if headers.strip():
        _audit_headers(endpoint, actor)


@transaction.atomic
def endpoint_delete(*, endpoint: Endpoint, actor: User | None = None) -> None:
    """Delete an endpoint. Raises ValidationError while an agent uses it, even one that was deleted within a day."""
    if endpoint.agents.exists():
        raise ValidationError({"endpoint": "Agents use this endpoint; it stays as long as they do."})
    if endpoint.agents(manager="with_deleted").exists():
        raise ValidationError(
            {"endpoint": "An agent that used this endpoint was deleted; delete the agent for good first."}
        )
    _audit(endpoint, actor, Action.ENDPOINT_REMOVED, endpoint.name)
    endpoint.delete()


def endpoint_key(endpoint: Endpoint) -> str:
    """Return the decrypted key, else the key in the environment variable, else "". Raises KeyUnreadable."""
    if endpoint.has_key:
        return unseal(bytes(endpoint.sealed_key), endpoint_context(endpoint))
    return os.environ.get(endpoint.environment_variable, "").strip()


def endpoint_headers(endpoint: Endpoint) -> Headers:
    """Return the decrypted extra headers of this endpoint. Raises KeyUnreadable."""
    return headers_unseal(endpoint, endpoint_context(endpoint))


def _base_url(provider: str, base_url: str) -> str:
    if base_url.strip():
        return check_base_url(base_url)
    if provider == Provider.COMPATIBLE:
        raise ValidationError("An OpenAI-compatible endpoint needs its address, such as http://127.0.0.1:8080/v1.")
    return ""


def _audit(endpoint: Endpoint, actor: User | None, action: Action, subject: str) -> None:
    audit_record(organization=endpoint.organization, actor=actor, action=action, subject=subject)


def _audit_key(endpoint: Endpoint, actor: User | None, action: Action) -> None:
    ending = f", ends in {endpoint.key_last_four}" if endpoint.key_last_four else ""
    _audit(endpoint, actor, action, f"{endpoint.name}{ending}")


def _audit_headers(endpoint: Endpoint, actor: User | None) -> None:
    _audit(endpoint, actor, Action.HEADERS_CHANGED, f"{endpoint.name}: {', '.join(endpoint.header_names) or 'none'}")


def _seal_headers(endpoint: Endpoint, headers: str) -> None:
    headers_seal(endpoint, headers_read(headers), endpoint_context(endpoint))
    check_key_is_sent_once(endpoint, "headers")


def _seal_key(endpoint: Endpoint, key: str) -> None:
    key = key.strip()
    if len(key) > MAX_KEY_LENGTH or any(not 32 < ord(c) < 127 for c in key):
        raise ValidationError({"key": "A key is at most 500 characters without spaces or special characters."})
    endpoint.sealed_key = seal(key, endpoint_context(endpoint)) if key else b""
    endpoint.key_last_four = key[-4:] if len(key) >= 12 else ""
    check_key_is_sent_once(endpoint, "key")


def endpoint_context(endpoint: Endpoint) -> str:
    """Return the encryption context of the endpoint's key: organization, provider and origin of the address."""
    url = parts_of(endpoint.base_url)
    return f"{endpoint.organization_id}|{endpoint.provider}|{url.scheme}://{url.netloc}"
