"""Extra headers of an endpoint. They are sent to a gateway with every request, besides the key."""

import re

from django.core.exceptions import ValidationError

from accounts.models import Endpoint
from accounts.secrets import seal, unseal
from agents.options import KEY_HEADERS, NOT_SECRET

Headers = tuple[tuple[str, str], ...]

MOST_HEADERS = 10
MOST_BYTES = 4096
NAME = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,100}")
VALUE = re.compile(r"[\x20-\x7e]+")
OURS = re.compile(
    r"host|connection|keep-alive|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|cookie"
    r"|(content|proxy|x-stainless)-.*",
    re.IGNORECASE,
)
"""Headers that nobody may add, because they decide how a request is sent or read."""


def headers_read(text: str) -> Headers:
    """Parse headers from lines of the form `Name: value`. Raises ValidationError, whose text never holds a value."""
    headers: dict[str, tuple[str, str]] = {}
    # Other line separators of Unicode do not split, so they cannot end a header early.
    for number, line in enumerate(re.split(r"\r\n|\n", text), 1):
        if not line.strip():
            continue
        name, separator, value = (part.strip(" \t") for part in line.partition(":"))
        if not separator or not NAME.fullmatch(name) or not VALUE.fullmatch(value):
            raise _refused(f"Line {number} is not a header; write a line such as api-key: VALUE.")
        if OURS.fullmatch(name):
            raise _refused(f"{name} is set by EconEvals; leave it out.")
        if name.lower() in headers:
            raise _refused(f"{name} is given twice.")
        headers[name.lower()] = (name, value)
    if len(headers) > MOST_HEADERS:
        raise _refused(f"An endpoint has at most {MOST_HEADERS} extra headers; these are {len(headers)}.")
    if len(text.encode()) > MOST_BYTES:
        raise _refused(f"The extra headers have at most {MOST_BYTES:,} bytes.")
    return tuple(headers.values())


def headers_seal(endpoint: Endpoint, headers: Headers, context: str) -> None:
    endpoint.header_names = [name for name, _ in headers]
    lines = "\n".join(f"{name}:{value}" for name, value in headers)
    endpoint.sealed_headers = seal(lines, headers_context(context)) if headers else b""


def headers_unseal(endpoint: Endpoint, context: str) -> Headers:
    """Return the decrypted extra headers. `context` is that of the endpoint's key. Raises KeyUnreadable."""
    sealed = bytes(endpoint.sealed_headers)
    return headers_read(unseal(sealed, headers_context(context))) if sealed else ()


def headers_context(context: str) -> str:
    """Return the encryption context of headers: that of the endpoint's key, marked as headers."""
    return f"{context}|headers"


def endpoint_has_secret_header(endpoint: Endpoint) -> bool:
    """Whether an extra header may be a secret that identifies the sender to the provider."""
    return any(name.lower() not in NOT_SECRET for name in endpoint.header_names)


def check_key_is_sent_once(endpoint: Endpoint, field: str) -> None:
    """Raise ValidationError for the field `field` if an extra header would replace the stored key."""
    twice = [name for name in endpoint.header_names if name.lower() in KEY_HEADERS]
    if twice and (endpoint.has_key or endpoint.environment_variable):
        raise ValidationError({field: f"The key is sent as {twice[0]}; use the key or this extra header, not both."})


def _refused(sentence: str) -> ValidationError:
    return ValidationError({"headers": sentence})
