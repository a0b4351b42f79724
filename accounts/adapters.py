"""What this site decides about signing in where django-allauth asks."""

from __future__ import annotations

import logging
from smtplib import SMTPException
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from django.core.cache import cache
from django.db.models import Q
from django.http import HttpRequest

from accounts.models import Invitation, User
from accounts.secrets import seal_text, unseal_text
from accounts.services import invitation_accept, person_keep_address, person_note_failed_sign_ins
from econevals_site.connections import let_go_of_connection

logger = logging.getLogger("econevals.signing_in")

FAILURES_NOTED = 5
"""Failed log-ins of one account within an hour after which its owners read of them; and again at every multiple."""

MISMATCH = "This user name and password do not match. Passwords are case-sensitive."


class AccountAdapter(DefaultAccountAdapter):
    error_messages = DefaultAccountAdapter.error_messages | {
        "account_inactive": "This account is closed.",
        "username_password_mismatch": MISMATCH,
        "email_password_mismatch": MISMATCH,
        "too_many_login_attempts": "There were too many failed attempts. Wait five minutes, then try again.",
        "enter_current_password": "This is not your present password.",
        "incorrect_password": "This is not your password.",
        "rate_limited": "There were too many attempts. Wait a few minutes, then try again.",
        "duplicate_email": "This is your address already.",
    }

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Accounts come from invitations."""
        return False

    def authentication_failed(self, request: HttpRequest, **credentials: Any) -> None:
        """Log whose log-in failed. A name that is no account's is not logged: people type passwords into that field."""
        typed = [credentials[field] for field in ("username", "email") if credentials.get(field)]
        wanted = Q(pk=None)
        for name in typed:
            wanted |= Q(username__iexact=name) | Q(email__iexact=name)
        user = User.objects.filter(wanted).first()
        if user is None:
            logger.warning("A log-in failed: there is no account of this name.")
            return
        logger.warning("A log-in of %s failed: the password was wrong.", user.username)
        key = f"failed-sign-ins:{user.pk}"
        cache.add(key, 0, timeout=3600)
        failures = cache.incr(key) if cache.get(key) is not None else 1
        if failures % FAILURES_NOTED == 0:
            person_note_failed_sign_ins(user=user, failures=failures)

    def pre_login(self, request: HttpRequest, user: User, **options: Any) -> Any:
        person_keep_address(user=user)
        return super().pre_login(request, user, **options)

    def post_login(self, request: HttpRequest, user: User, **options: Any) -> Any:
        cache.delete(f"failed-sign-ins:{user.pk}")
        return super().post_login(request, user, **options)

    def confirm_email(self, request: HttpRequest, email_address: Any) -> bool:
        """Not where another account has the address by now; those of accounts from invitations are not listed by allauth."""
        others = User.objects.filter(email__iexact=email_address.email).exclude(pk=email_address.user_id)
        return not others.exists() and super().confirm_email(request, email_address)

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """A mail server that is away breaks no page, and does not tell whether an address has an account."""
        try:
            super().send_mail(template_prefix, email, context)
        except (SMTPException, OSError):
            logger.exception("A message could not be sent: %s", template_prefix)


class TwoFactorAdapter(DefaultMFAAdapter):
    """Two-factor secrets are encrypted at rest, like provider keys."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": "This code does not match. Codes of an app change every 30 seconds."
    }

    def encrypt(self, text: str) -> str:
        return seal_text(text)

    def decrypt(self, encrypted_text: str) -> str:
        return unseal_text(encrypted_text)


class SingleSignOnAdapter(DefaultSocialAccountAdapter):
    """A person who comes from the identity provider needs an account here or an open invitation to the verified address."""

    def get_requests_session(self) -> Any:
        """Every call of the identity provider is made by this session, between two queries."""
        let_go_of_connection()
        return super().get_requests_session()

    def is_open_for_signup(self, request: HttpRequest, sociallogin: Any) -> bool:
        return self._invitations(sociallogin).exists()

    def save_user(self, request: HttpRequest, sociallogin: Any, form: Any = None) -> User:
        invitations = list(self._invitations(sociallogin))
        invitation = invitations[0]
        sociallogin.user.email = invitation.email
        user = super().save_user(request, sociallogin, form)
        for invitation in invitations:
            invitation_accept(invitation=invitation, user=user)
        return user

    def _invitations(self, sociallogin: Any) -> Any:
        verified = [address.email.lower() for address in sociallogin.email_addresses if address.verified]
        return Invitation.objects.filter(Invitation.open_now(), email__in=verified).order_by("id")
