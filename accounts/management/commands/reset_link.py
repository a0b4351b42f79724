from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from accounts.selectors import person_called
from accounts.sign_in.reset_links import printed_links, reset_link


class Command(BaseCommand):
    help = "Print a link to set a new password, for sites without e-mail. It works once."

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("person", help="user name or e-mail address of the account")
        parser.add_argument("--site", default="", help="address of the site; default: ECONEVALS_URL")

    def handle(self, *, person: str, site: str, **options: Any) -> None:
        user = person_called(person)
        if user is None or not user.is_active:
            raise CommandError(f"There is no account called {person}.", returncode=2)
        self.stdout.write(reset_link((site or settings.PUBLIC_URL).rstrip("/"), user, printed_links))
