from typing import Any

from django.core.management.base import BaseCommand, CommandError

from accounts.models import User
from accounts.services.operators import operator_set


class Command(BaseCommand):
    help = (
        "Make a person a site operator, who opens, closes and reveals seasons in the browser. Entries of the person's "
        "organizations are then out of competition. Without arguments, list the operators."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: Any) -> None:
        parser.add_argument("user", nargs="?", metavar="USER", help="user name")
        parser.add_argument("--remove", action="store_true", help="end it")

    def handle(self, *, user: str | None, remove: bool, **options: Any) -> None:
        if user is None:
            if remove:
                raise CommandError("Give the user name.", returncode=2)
            for name in User.objects.filter(is_operator=True).order_by("username").values_list("username", flat=True):
                self.stdout.write(name)
            return
        row = User.objects.filter(username=user).first()
        if row is None:
            raise CommandError(f"There is no user with the name {user}.", returncode=2)
        verb = "is" if operator_set(user=row, is_operator=not remove) else "already was"
        self.stdout.write(f"{row.username} {verb} {'no longer ' if remove else ''}a site operator.")
