"""Log-in with a password. A name identifies at most one person, and every attempt hashes exactly one password."""

from typing import Any

from allauth.account.auth_backends import AuthenticationBackend
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest

from accounts.models import User
from accounts.selectors import person_called


def typed_name(credentials: dict[str, Any]) -> str:
    return credentials.get("email") or credentials.get("username") or ""


class OnePerson(AuthenticationBackend):
    """Replaces django-allauth's backend, which hashes once or twice and so reveals whether an account has the address."""

    def authenticate(self, request: HttpRequest | None, **credentials: Any) -> User:
        """Return the person. Raises PermissionDenied for wrong credentials, so that no other backend is tried."""
        user = super().authenticate(request, **credentials)
        if user is None:
            raise PermissionDenied
        return user

    def _authenticate(self, request: HttpRequest | None, **credentials: Any) -> User | None:
        return self._check_password(person_called(typed_name(credentials)), credentials["password"])
