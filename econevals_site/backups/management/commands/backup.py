from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from econevals_site.backups.archive import BackupRefused
from econevals_site.backups.services import backup_take, backups_folder
from infrastructure.commands import QuickCommand
from infrastructure.text.formats import disk
from runs.management.launches import add_json_argument, fail, print_json


class Command(QuickCommand):
    help = (
        "Copy the whole database into one file while the site runs. The file does not contain the secret that encrypts the "
        "stored provider keys; keep that secret in another place."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", metavar="FILE", nargs="?", type=Path, help="default: a new file in backups/ of the data folder"
        )
        add_json_argument(parser)

    def handle(self, **options: Any) -> None:
        path: Path = options["file"] or backups_folder() / f"econevals-{datetime.now(UTC):%Y-%m-%d-%H%M%S}.zip"
        try:
            manifest = backup_take(path=path)
        except BackupRefused as error:
            fail(str(error))
        if options["json"]:
            print_json({"file": str(path), "bytes": path.stat().st_size, "rows": manifest.rows})
            return
        self.stdout.write(f"{path} ({disk(path.stat().st_size)}) holds {manifest.contents}.")
