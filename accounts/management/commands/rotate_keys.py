from __future__ import annotations

import sys
from typing import Any

from django.core.management.base import BaseCommand

from accounts.services import keys_rotate


class Command(BaseCommand):
    help = (
        "Encrypt every stored key anew with the first secret of ECONEVALS_KEY_SECRETS. May be run again at any time, "
        "also while runs are being played; afterwards the old secrets can be taken out of the list."
    )

    def handle(self, **options: Any) -> None:
        done = keys_rotate()
        self.stdout.write(
            f"{done.renewed} encrypted anew, {done.current} were current, {done.unreadable} cannot be read."
        )
        if done.unreadable:
            self.stderr.write(
                "Those open with none of the secrets: add the one they were stored with, or enter them again."
            )
            sys.exit(1)
