from __future__ import annotations

import sys
from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from accounts.services import keys_rotate
from backups.archive import BackupRefused
from backups.services import backup_check, backup_restore
from runs.management.arguments import fail

WORD = "restore"


class Command(BaseCommand):
    help = (
        "Restore the whole site from a backup. The current database is backed up first. Stop web and workers before. Runs "
        "that were in play at the time of the backup continue when a worker starts."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--yes", action="store_true", help="do not ask")

    def handle(self, **options: Any) -> None:
        path: Path = options["file"]
        try:
            manifest = backup_check(path=path)
            made = datetime.fromisoformat(manifest.made_at)
            self.stdout.write(f"{path} was made on {made:%d %B %Y at %H:%M} UTC and holds {manifest.contents}.")
            if not options["yes"] and not agreed():
                fail("Nothing was changed.")
            before = backup_restore(path=path)
        except BackupRefused as error:
            fail(str(error))
        self.stdout.write("The site is restored. Everybody has to log in again.")
        if before is not None:
            self.stdout.write(f"What was there before is in {before}.")
        if unreadable := keys_rotate().unreadable:
            self.stdout.write(
                f"{unreadable} of the stored keys cannot be read with the secrets of this site: put back the secret_key "
                "file, or the SECRET_KEY, of the time of the backup, or enter the keys again."
            )


def agreed() -> bool:
    if not sys.stdin.isatty():
        fail("Say --yes to replace everything that is there now by the backup; what is there is backed up first.")
    return input(f"Everything that is there now is replaced by it. Type {WORD} to go on: ").strip() == WORD
