"""The site's adapters for django-allauth. They change how it signs people in."""

import hashlib
import logging
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from allauth.core.exceptions import ImmediateHttpResponse
from allauth.core.internal import ratelimit
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.socialaccount.adapter import DefaultSocialAccountAdapter
from allauth.socialaccount.providers.base import AuthProcess
from django.contrib.sites.shortcuts import get_current_site
from django.core.cache import cache
from django.shortcuts import redirect, render

from accounts.email_addresses import ascii_lower
from accounts.models import Invitation, User
from accounts.outbox import failed_log_ins_queue, message_queue
from accounts.pages.requests import MemberRequest, SiteRequest
from accounts.secrets import seal_text, unseal_text
from accounts.selectors import person_called, person_of_address
from accounts.services.people import invitation_accept, person_keep_address
from accounts.sign_in.claims import claim_account
from accounts.sign_in.log_in import typed_name
from infrastructure.transactions import let_go_of_connection

logger = logging.getLogger("econevals.signing_in")

FAILURES_NOTED = 5
"""After so many failed log-ins of one account within an hour, and each multiple, the audit log gets an entry."""

ACCOUNT_LIMIT: dict[str, Any] = {"app": "accounts", "action": "log-in", "config": {"log-in": "5/5m/key"}}
"""The limit of wrong passwords for one account: attempts with its user name and with its address count together."""

BEGUN_WITH = "log-in-begun-with"

MISMATCH = (
    "This user name and password do not match. Passwords are case-sensitive. "
    "After five wrong ones also the right one is refused for five minutes."
)


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

    def is_open_for_signup(self, request: MemberRequest) -> bool:
        """Return False: accounts are created only through invitations."""
        return False

    def pre_authenticate(self, request: MemberRequest, **credentials: Any) -> None:
        """Count an attempt against two limits: that of the typed name and that of the account.

        Beyond the limit of the name, the answer says so. Beyond the limit of the account, it looks like a wrong password:
        otherwise the shared limit would reveal that a user name and an address belong together.
        """
        super().pre_authenticate(request, **credentials)
        self._account_usage = ratelimit.consume(request, key=_account_key(typed_name(credentials)), **ACCOUNT_LIMIT)

    def authenticate(self, request: MemberRequest, **credentials: Any) -> User | None:
        user = super().authenticate(request, **credentials)
        return user if self._account_usage else None

    def _rollback_login_failed_rl_usage(self) -> None:
        """Do not count a successful log-in. A right password that is refused counts, or the count would reveal it."""
        if self._account_usage:
            super()._rollback_login_failed_rl_usage()
            self._account_usage.rollback()

    def _delete_login_attempts_cached_email(self, request: MemberRequest, **credentials: Any) -> None:
        """Reset the limit of the account too. allauth calls this for each address after a new password was chosen."""
        super()._delete_login_attempts_cached_email(request, **credentials)
        ratelimit.clear(request, key=_account_key(typed_name(credentials)), **ACCOUNT_LIMIT)

    def authentication_failed(self, request: MemberRequest, **credentials: Any) -> None:
        """Log a failed log-in with its account. Unknown names are not logged, because people type passwords there."""
        # Known and unknown names cause the same work, so that timing does not reveal accounts.
        typed = typed_name(credentials)
        user = person_called(typed)
        if user is None:
            logger.warning("A log-in failed: there is no account of this name.")
        else:
            logger.warning("A log-in of %s failed: the password was wrong.", user.username)
        key = f"failed-sign-ins:{_hashed(_account_key(typed))}"
        cache.add(key, 0, timeout=3600)
        failures = cache.incr(key) if cache.get(key) is not None else 1
        if failures % FAILURES_NOTED == 0:
            failed_log_ins_queue(person=user, failures=failures)

    def pre_login(self, request: MemberRequest, user: User, **options: Any) -> Any:
        person_keep_address(user=user)
        request.session[BEGUN_WITH] = user.get_session_auth_hash()
        return super().pre_login(request, user, **options)

    def login(self, request: MemberRequest, user: User) -> None:
        """Refuse if the password changed, or all sessions were ended, while the person typed the two-factor code."""
        if request.session.pop(BEGUN_WITH, None) != user.get_session_auth_hash():
            raise ImmediateHttpResponse(redirect("accounts:login"))
        super().login(request, user)

    def logout(self, request: SiteRequest) -> None:
        """Clear the organization too, because the rest of this request is rendered for an anonymous visitor."""
        super().logout(request)
        request.membership = request.organization = None
        request.memberships = []

    def post_login(self, request: MemberRequest, user: User, **options: Any) -> Any:
        cache.delete(f"failed-sign-ins:{_hashed(_account_key(user.username))}")
        return super().post_login(request, user, **options)

    def is_safe_url(self, url: str) -> bool:
        try:
            return super().is_safe_url(url)
        except ValueError:  # 'http://[x' is not an address
            return False

    def can_delete_email(self, email_address: EmailAddress) -> bool:
        """Allow deleting a requested new address, but not the current one."""
        return not email_address.primary

    def confirm_email(self, request: MemberRequest, email_address: EmailAddress) -> bool:
        """Confirm an address only in a browser that is signed in to its account.

        Otherwise a person could be tricked into giving their address to somebody else's account. Returns False also if
        another account has the address by now.
        """
        return (
            request.user.pk == email_address.user_id
            and person_of_address(email_address.email) in (None, request.user)
            and super().confirm_email(request, email_address)
        )

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        """Queue the mail for a worker."""
        about = {"request": self.request, "email": email, "current_site": get_current_site(self.request)}
        message = self.render_mail(template_prefix, email, about | context)
        message_queue(to=email, subject=message.subject, text=message.body)


def _account_key(typed: str) -> str:
    """Return one key for all names of an account. For an unknown name the key contains the typed name."""
    person = person_called(typed)
    return f"account {person.pk}" if person else f"nobody {ascii_lower(typed)}"


def _hashed(key: str) -> str:
    """Hash the key, so that typed text never becomes a cache key."""
    return hashlib.sha256(key.encode()).hexdigest()


class TwoFactorAdapter(DefaultMFAAdapter):
    """Encrypts two-factor secrets at rest, like provider keys."""

    error_messages = DefaultMFAAdapter.error_messages | {
        "incorrect_code": "This code does not match. Codes of an app change every 30 seconds."
    }

    encrypt = staticmethod(seal_text)
    decrypt = staticmethod(unseal_text)


class SingleSignOnAdapter(DefaultSocialAccountAdapter):
    """Admits people from the identity provider. They need an account, or an open invitation to a verified address."""

    def pre_social_login(self, request: MemberRequest, sociallogin: Any) -> None:
        """Before the identity is connected to the account, end any access that somebody else may have prepared."""
        if sociallogin.state.get("process") != AuthProcess.LOGIN:
            return
        verified = self._verified(sociallogin)
        EmailAddress.objects.filter(email__in=verified, primary=False).exclude(user=sociallogin.user.pk).delete()
        if sociallogin.is_existing and sociallogin.user.email in verified:
            claim_account(request, user=sociallogin.user, way="single sign-on", identity=sociallogin.account.pk)

    def authenticate_by_email(self, sociallogin: Any) -> tuple[User, str] | None:
        """Find the account by a verified address. Only current addresses of accounts match, not requested ones."""
        for email in self._verified(sociallogin):
            if user := person_of_address(email):
                return user, email
        return None

    def get_requests_session(self) -> Any:
        """Release the database connection, and return the HTTP session for a call to the identity provider."""
        let_go_of_connection()
        return super().get_requests_session()

    def is_open_for_signup(self, request: MemberRequest, sociallogin: Any) -> bool:
        if not self._verified(sociallogin):
            raise ImmediateHttpResponse(render(request, "account/signup_closed.html", {"unverified": True}))
        return self._invitations(sociallogin).exists()

    def save_user(self, request: MemberRequest, sociallogin: Any, form: Any = None) -> User:
        invitations = list(self._invitations(sociallogin))
        sociallogin.user.email = invitations[0].email
        user = super().save_user(request, sociallogin, form)
        for invitation in invitations:
            invitation_accept(invitation=invitation, user=user)
        return user

    def _invitations(self, sociallogin: Any) -> Any:
        return Invitation.objects.filter(Invitation.open_now(), email__in=self._verified(sociallogin)).order_by("id")

    def _verified(self, sociallogin: Any) -> list[str]:
        return [address.email for address in sociallogin.email_addresses if address.verified]
