from __future__ import annotations

from argparse import ArgumentParser
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from backups.archive import BackupRefused
from backups.management.arguments import contents, size
from backups.services import backup_take
from runs.management.arguments import fail


class Command(BaseCommand):
    help = (
        "Copy the whole database into one file, while the site runs. The secret that stored provider keys are encrypted "
        "with is not in it; keep that in another place."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "file", metavar="FILE", nargs="?", type=Path, help="default: in backups/ of the data folder"
        )

    def handle(self, **options: Any) -> None:
        path: Path = options["file"] or default_path()
        try:
            manifest = backup_take(path=path)
        except BackupRefused as error:
            fail(str(error))
        self.stdout.write(f"{path} ({size(path)}) holds {contents(manifest)}.")


def default_path() -> Path:
    folder = Path(settings.DATA_DIR) / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder / f"econevals-{datetime.now(UTC):%Y-%m-%d-%H%M%S}.zip"
