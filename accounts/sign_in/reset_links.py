"""Links to choose a new password. Mailed links prove the address, printed ones do not."""

from allauth.account.forms import EmailAwarePasswordResetTokenGenerator, default_token_generator

from accounts.models import User


class MailedLinks(EmailAwarePasswordResetTokenGenerator):
    key_salt = "accounts.sign_in.reset_links.MailedLinks"


mailed_links = MailedLinks()
printed_links = default_token_generator
"""Tokens of links that `bin/econevals reset_link` prints and the operator hands over."""


class AllLinks:
    def check_token(self, user: User | None, token: str | None) -> bool:
        return mailed_links.check_token(user, token) or printed_links.check_token(user, token)
