"""Checks of the configuration. A site with a weak secret or an unsafe setting does not start."""

import os
import re
from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured

PLACEHOLDERS = (
    "django-insecure-",
    "changeme",
    "change-me",
    "change_me",
    "placeholder",
    "your-secret",
    "password",
    "secretsecret",
)
KNOWN_PASSWORDS = {"...", "changeme", "change-me", "secret", "password", "postgres", "econevals", "redis", "admin"}
LEAST_LENGTH = 32
LEAST_DIFFERENT = 8
REPEATED = re.compile(r"(.{8}).*\1", re.DOTALL)
"""Eight characters that appear twice. About one in a million random secrets of 64 hexadecimal digits matches; with fewer
characters many more would."""

ROWS = ("abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "asdfghjkl", "zxcvbnm")
IN_A_ROW = re.compile(
    "|".join(sorted({row[i : i + 4] for row in (*ROWS, *(row[::-1] for row in ROWS)) for i in range(len(row) - 3)}))
)
PROXIES = ("http_proxy", "https_proxy", "all_proxy")
MAKE_SECRET = "make one with: openssl rand -hex 32"


def refuse_weak_secrets(*, secret_key: str, fallbacks: Sequence[str], key_secrets: Sequence[str]) -> None:
    """Raise ImproperlyConfigured with one sentence if a secret is weak. Whoever guesses SECRET_KEY can sign in as anybody."""
    strong_secret("SECRET_KEY", secret_key)
    for secret in fallbacks:
        if flaw := weakness(secret):
            raise ImproperlyConfigured(
                f"One of SECRET_KEY_FALLBACKS {flaw}, and sessions that it signed would still count: take it out, and put "
                "it last in ECONEVALS_KEY_SECRETS, which only opens stored keys."
            )
    # Later secrets only decrypt stored keys, so they may be weak: a site can replace a weak one without losing keys.
    strong_secret("The first of ECONEVALS_KEY_SECRETS", next(iter(key_secrets), ""))


def strong_secret(name: str, secret: str) -> str:
    """Return the secret unchanged; it may be empty. Raises ImproperlyConfigured if it is easy to guess.

    name: of the environment variable, for the error message
    """
    if secret and (flaw := weakness(secret)):
        raise ImproperlyConfigured(f"{name} {flaw}; {MAKE_SECRET}")
    return secret


def weakness(secret: str) -> str:
    """Return why a secret is easy to guess, as the end of a sentence; "" if it seems random."""
    if any(word in secret.lower() for word in PLACEHOLDERS):
        return "is one that everybody knows"
    if len(secret) < LEAST_LENGTH:
        return f"is shorter than {LEAST_LENGTH} characters"
    if len(set(secret)) < LEAST_DIFFERENT or secret in (secret + secret)[1:-1] or REPEATED.search(secret):
        return "repeats a few characters"
    if len(IN_A_ROW.sub("", secret.lower())) < len(secret) / 3:
        return "is typed along an alphabet or a keyboard"
    return ""


def refuse_unsafe(*, secret_key: str, debug: bool, allowed_hosts: Sequence[str]) -> None:
    """Raise ImproperlyConfigured with one sentence if a team's site (with DATABASE_URL) has an unsafe setting."""
    if not secret_key:
        raise ImproperlyConfigured(
            "Set SECRET_KEY: with DATABASE_URL every process needs the same, and none is generated."
        )
    if debug:
        raise ImproperlyConfigured("DEBUG shows secrets to visitors; unset it where DATABASE_URL is set.")
    if any(host.strip() in {"*", "."} for host in allowed_hosts):
        raise ImproperlyConfigured("ALLOWED_HOSTS must name the site's hosts; * lets anybody pose as it.")


def refuse_proxies() -> None:
    """Raise ImproperlyConfigured if the environment names a proxy that calls of models could not use."""
    for variable, proxy in os.environ.items():
        if variable.lower() in PROXIES and proxy and urlsplit(proxy).scheme not in ("http", "https"):
            raise ImproperlyConfigured(
                f"{variable.upper()} must be like http://proxy.example.org:3128. Other kinds, such as SOCKS, are not "
                "supported; NO_PROXY names hosts that are called directly."
            )


def service_url(name: str, url: str) -> str:
    """Return the address of a database or broker unchanged. Raises ImproperlyConfigured if it is unreadable or unsafe.

    name: of the environment variable, for the error message, which never shows the password
    """
    try:
        parts = urlsplit(url)
        # A slash in a password that is not percent-encoded ends the host part early, so that the @ is in the path.
        cut = parts.port is not None and "@" in parts.path + parts.query + parts.fragment
    except ValueError:
        cut = True
    if cut:
        raise ImproperlyConfigured(
            f"{name} cannot be read: in a password the characters / ? # @ % must be percent-encoded, or use one of "
            "letters and digits."
        )
    if unquote(parts.password or "").lower() in KNOWN_PASSWORDS:
        raise ImproperlyConfigured(f"The password in {name} is one that everybody knows; set a random one.")
    return url
