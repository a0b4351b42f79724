"""Links to choose a new password. Mailed links prove the address, printed ones do not."""

from allauth.account.forms import EmailAwarePasswordResetTokenGenerator, default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.contrib.auth.tokens import PasswordResetTokenGenerator
from django.urls import reverse

from accounts.models import User


class MailedLinks(EmailAwarePasswordResetTokenGenerator):
    key_salt = "accounts.sign_in.reset_links.MailedLinks"


mailed_links = MailedLinks()
printed_links = default_token_generator
"""Tokens of links that `bin/econevals reset_link` prints and the operator hands over."""


def reset_link(site: str, user: User, tokens: PasswordResetTokenGenerator) -> str:
    """Return a link to choose a new password. `site` is its start, such as https://evals.example.org."""
    return site + reverse(
        "account_reset_password_from_key",
        kwargs={"uidb36": user_pk_to_url_str(user), "key": tokens.make_token(user)},
    )


class AllLinks:
    def check_token(self, user: User | None, token: str | None) -> bool:
        return mailed_links.check_token(user, token) or printed_links.check_token(user, token)
