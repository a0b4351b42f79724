import sys
from argparse import ArgumentParser
from datetime import datetime
from pathlib import Path
from typing import Any

from accounts.services.keys import keys_rotate
from econevals_site.backups.archive import BackupRefused
from econevals_site.backups.services import backup_check, backup_restore
from infrastructure.commands import QuickCommand
from runs.management.launches import add_json_argument, fail, print_json

WORD = "restore"


class Command(QuickCommand):
    help = (
        "Restore the whole site from a backup. The current database is backed up first. Stop the web process and the "
        "workers first. Runs that were in play at the time of the backup continue when a worker starts."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", type=Path)
        parser.add_argument("--yes", action="store_true", help="restore without asking for confirmation")
        add_json_argument(parser)

    def handle(self, *, file: Path, yes: bool, json: bool, **options: Any) -> None:
        out = self.stderr if json else self.stdout
        try:
            manifest = backup_check(path=file)
            made = datetime.fromisoformat(manifest.made_at)
            out.write(f"{file} was made on {made:%d %B %Y at %H:%M} UTC and holds {manifest.contents}.")
            if not yes and not agreed():
                fail("Nothing was changed.")
            before = backup_restore(path=file)
        except BackupRefused as error:
            fail(str(error))
        unreadable = keys_rotate().unreadable
        if json:
            print_json(
                {
                    "file": str(file),
                    "rows": manifest.rows,
                    "before": before and str(before),
                    "unreadable_keys": unreadable,
                }
            )
            return
        self.stdout.write("The site is restored. Everybody has to log in again.")
        if before is not None:
            self.stdout.write(f"The state before is in {before}.")
        if unreadable:
            self.stdout.write(
                f"{unreadable} of the stored keys cannot be read with the secrets of this site: put back the secret_key "
                "file, or the SECRET_KEY, of the time of the backup, or enter the keys again."
            )


def agreed() -> bool:
    if not sys.stdin.isatty():
        fail("Use --yes to replace the present state by the backup; the present state is backed up first.")
    return input(f"This replaces the present state. Type {WORD} to continue: ").strip() == WORD
