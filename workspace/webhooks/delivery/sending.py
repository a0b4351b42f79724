"""One signed POST request to one address. The transport checks every address that it connects to.

Addresses that are allowed for model endpoints are allowed here if they use https. They may also
have a query string. A signature is the HMAC-SHA256 of `timestamp.body`.
"""

import hashlib
import hmac
import secrets
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.conf import settings
from django.core.exceptions import ValidationError

from accounts.addresses import address_policy, check_base_url
from accounts.secrets import Rotation, seal, unseal
from agents.providers.transport import PostFailed, post_once
from workspace.webhooks.models import Webhook


def new_secret() -> str:
    return f"whsec_{secrets.token_urlsafe(32)}"


def seal_secret(organization_id: int, secret: str) -> bytes:
    return seal(secret, secret_context(organization_id))


def secret_context(organization_id: int) -> str:
    """Binds an encrypted secret to its organization and purpose, so that a copied row cannot be decrypted."""
    return f"{organization_id}|webhook signature"


def valid_secrets(webhook: Webhook) -> list[str]:
    """The secrets that sign a message now, the current one first. Raises KeyUnreadable."""
    sealed = [webhook.sealed_secret, *([webhook.former_secret] if webhook.former_signs else [])]
    return [unseal(bytes(item), secret_context(webhook.organization_id)) for item in sealed]


def signature_header(secrets: Iterable[str], timestamp: int, body: bytes) -> str:
    """The signature header, with a signature for each secret: 't=1790000000,v1=...'."""
    message = f"{timestamp}.".encode() + body
    signatures = [hmac.new(secret.encode(), message, hashlib.sha256).hexdigest() for secret in secrets]
    return ",".join([f"t={timestamp}", *(f"v1={signature}" for signature in signatures)])


def webhooks_reseal(rotation: Rotation) -> None:
    """Encrypt all secrets again with the first key, for `bin/econevals rotate_keys`."""
    for webhook in Webhook.objects.iterator():
        for column in ("sealed_secret", "former_secret"):
            sealed = bytes(getattr(webhook, column))
            if sealed and (renewed := rotation.renew(sealed, secret_context(webhook.organization_id))):
                # The update requires the old value, so that a secret that an owner creates at this moment is kept.
                row = Webhook.objects.filter(pk=webhook.pk, **{column: sealed})
                rotation.renewed += row.update(**{column: renewed})


MAX_URL = 500
NOT_HTTPS = "The address must start with https://."


def check_webhook_url(url: str) -> str:
    """The address without surrounding spaces. Raises ValidationError with one sentence if it is not allowed."""
    url = url.strip()
    _invalid_if(len(url) > MAX_URL, f"An address has at most {MAX_URL} characters.")
    _invalid_if(any(ord(c) <= 32 or ord(c) == 127 for c in url), "The address must not contain spaces or line breaks.")
    # Receivers often identify senders by a token in the query, so a query is allowed here.
    bare, _, query = url.partition("?")
    _invalid_if(
        not query.isascii() or "#" in query,
        "The part after the question mark has a character that is not allowed in an address.",
    )
    check_base_url(bare)
    _invalid_if(not is_safe_scheme(url), NOT_HTTPS)
    return url


def _invalid_if(is_wrong: bool, sentence: str) -> None:
    if is_wrong:
        raise ValidationError(sentence)


def is_safe_scheme(url: str) -> bool:
    """Whether the URL is https. If private addresses are allowed, every scheme is safe."""
    return settings.ALLOW_PRIVATE_ENDPOINTS or url.lower().startswith("https://")


DEADLINE_SECONDS = 10.0
MAX_ANSWER_BYTES = 4096


@dataclass(frozen=True)
class Answer:
    """The response. `status` is None if there was none. `problem` is a sentence, empty if the message was accepted."""

    status: int | None = None
    seconds: float = 0.0
    text: str = ""
    problem: str = ""

    @property
    def ok(self) -> bool:
        return not self.problem


def send(url: str, headers: Sequence[tuple[str, str]], body: bytes, *, seconds: float = DEADLINE_SECONDS) -> Answer:
    """POST a body. A failed request raises no exception; the Answer describes the problem."""
    if not is_safe_scheme(url):
        return Answer(problem=NOT_HTTPS)
    started = time.monotonic()
    try:
        status, answer_body = post_once(
            url, headers, body, seconds=seconds, most_bytes=MAX_ANSWER_BYTES, policy=address_policy()
        )
    except PostFailed as failure:
        return Answer(problem=str(failure), seconds=time.monotonic() - started)
    return Answer(
        status,
        time.monotonic() - started,
        answer_body.decode("utf-8", "replace").replace("\x00", "\ufffd"),
        _problem_of(status),
    )


def _problem_of(status: int) -> str:
    if 300 <= status < 400:
        return f"It answered with a redirect ({status}), which is not followed. Register the final address."
    return "" if 200 <= status < 300 else f"It answered {status} instead of a number from 200 to 299."
