import sys
from typing import Any

from django.core.management.base import BaseCommand

from accounts.services.keys import keys_rotate


class Command(BaseCommand):
    help = (
        "Encrypt every stored key again with the first secret of ECONEVALS_KEY_SECRETS. The command may be repeated at "
        "any time, even while runs are active. Afterwards the old secrets can be removed from the list."
    )

    def handle(self, **options: Any) -> None:
        done = keys_rotate()
        self.stdout.write(
            f"{done.renewed} encrypted again, {done.current} were current, {done.unreadable} cannot be read."
        )
        if done.unreadable:
            self.stderr.write(
                "No secret decrypts these keys: add the secret that encrypted them, or enter the keys again."
            )
            sys.exit(1)
