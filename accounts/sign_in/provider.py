"""Reads the answers of an identity provider, and keeps only valid claims."""

from typing import Any

from allauth.socialaccount.models import SocialLogin
from allauth.socialaccount.providers.base import ProviderException
from allauth.socialaccount.providers.openid_connect.provider import OpenIDConnectProvider
from django.core.exceptions import ValidationError
from django.http import HttpRequest

from accounts.email_addresses import validate_address

NAMES = ("preferred_username", "name", "given_name", "family_name")
LONGEST_SUBJECT = 191
"""Maximum length of the claim `sub` that django-allauth can store. OpenID Connect allows 255; providers use up to 64."""


class SingleSignOn(OpenIDConnectProvider):
    """django-allauth's provider with a strict reading of answers.

    The original stores whatever the answer holds, and takes any text in `email_verified` for true.
    """

    package = OpenIDConnectProvider.get_package()

    def sociallogin_from_response(self, request: HttpRequest, response: dict[str, Any]) -> SocialLogin:
        """Read only known and valid claims. Raises ProviderException unless the answer names exactly one person."""
        answers = [response.get(source) or {} for source in ("userinfo", "id_token")]
        if not all(isinstance(answer, dict) for answer in answers):
            raise ProviderException("The answer of the identity provider is not a JSON object.")
        subjects = {_subject(answer) for answer in answers if answer}
        if len(subjects) != 1 or None in subjects:
            raise ProviderException("The answer of the identity provider names no person, or two.")
        claims = answers[0] or answers[1]
        texts = {name: claims[name].replace("\x00", "") for name in NAMES if _is_text(claims.get(name))}
        read = texts | _address(claims) | {"sub": subjects.pop()}
        return super().sociallogin_from_response(request, {"userinfo": read})


def _subject(claims: dict[str, Any]) -> str | None:
    subject = claims.get("sub")
    text: Any = str(subject) if type(subject) is int else subject
    return text if _is_text(text) and "\x00" not in text and 0 < len(text) <= LONGEST_SUBJECT else None


def _address(claims: dict[str, Any]) -> dict[str, Any]:
    """Return the claims `email` and `email_verified`; {} without a valid address.

    Only true and the text "true" count as verified.
    """
    try:
        validate_address(claims["email"] if _is_text(claims.get("email")) else "")
    except ValidationError:
        return {}
    verified = claims.get("email_verified")
    return {"email": claims["email"], "email_verified": verified is True or verified == "true"}


def _is_text(value: Any) -> bool:
    """Whether the value is a text that databases can store. JSON may hold half a surrogate pair, which they cannot."""
    return isinstance(value, str) and not any("\ud800" <= letter <= "\udfff" for letter in value)
