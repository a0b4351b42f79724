from typing import Any

from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.urls import reverse

from accounts.selectors import person_called
from accounts.sign_in.reset_links import printed_links


class Command(BaseCommand):
    help = "Print a link to set a new password, for sites without e-mail. It works once."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("person", help="user name or e-mail address of the account")
        parser.add_argument("--site", default="", help="address of the site; default: ECONEVALS_URL")

    def handle(self, *, person: str, site: str, **options: Any) -> None:
        user = person_called(person)
        if user is None or not user.is_active:
            raise CommandError(f"There is no account called {person}.", returncode=2)
        key = printed_links.make_token(user)
        kwargs = {"uidb36": user_pk_to_url_str(user), "key": key}
        self.stdout.write(
            (site or settings.PUBLIC_URL).rstrip("/") + reverse("account_reset_password_from_key", kwargs=kwargs)
        )
