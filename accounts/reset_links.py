"""Links with which a person chooses a new password: mailed ones prove the address, printed ones do not."""

from __future__ import annotations

from allauth.account.forms import EmailAwarePasswordResetTokenGenerator, default_token_generator

from accounts.models import User


class MailedLinks(EmailAwarePasswordResetTokenGenerator):
    key_salt = "accounts.reset_links.MailedLinks"


mailed_links = MailedLinks()
printed_links = default_token_generator
"""Made by `manage.py reset_link` and handed over by whoever runs the site."""


class AllLinks:
    def check_token(self, user: User | None, token: str | None) -> bool:
        return mailed_links.check_token(user, token) or printed_links.check_token(user, token)
