"""Take, check and restore backups of the whole database."""

import tempfile
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

from django.conf import settings
from django.core.management import call_command
from django.db import connection, connections
from django.db.migrations.loader import MigrationLoader
from django.db.models.functions import Now

from econevals_site.backups import archive, postgres, sqlite
from econevals_site.backups.archive import ENGINES, BackupRefused, Manifest
from infrastructure.processes.workers import mark_seconds, worker_was_here
from infrastructure.upgrades.age import LAST_VERSION_WITH_EVERY_STEP, is_too_old, replaced_migrations
from runs.engine.writing import spool
from runs.models import Run

ENGINE_MODULES: dict[str, ModuleType] = {"sqlite": sqlite, "postgresql": postgres}

COUNTS = {
    "organizations": "SELECT COUNT(*) FROM accounts_organization",
    "experiments": "SELECT COUNT(*) FROM runs_experiment",
    "runs": "SELECT COUNT(*) FROM runs_run",
    "periods": "SELECT COUNT(*) FROM runs_period",
    "calls": "SELECT COUNT(*) FROM runs_exchange",
}
MIGRATIONS = "SELECT app || '.' || name FROM django_migrations ORDER BY id"

FENCES_APART = 1_000_000
"""Number by which a restore raises the fences of runs. It is higher than any fence, so workers still alive lose their
leases."""

AFTER_RESTORE = (
    f"UPDATE runs_run SET fence = fence + {FENCES_APART}, lease_owner = '', lease_until = NULL",
    # Sessions in the backup may belong to people who logged out or were removed since.
    "DELETE FROM usersessions_usersession",
    "DELETE FROM django_session",
)


def backup_take(*, path: Path) -> Manifest:
    """Write a consistent copy of the database to a new file while the site runs. Raises BackupRefused."""
    engine = connection.vendor
    if path.exists():
        raise BackupRefused(f"{path} exists already; backups are not overwritten.")
    try:
        with tempfile.TemporaryDirectory(dir=path.parent, prefix=".backup-") as folder:
            copy = Path(folder) / archive.DATABASE
            rows, migrations = ENGINE_MODULES[engine].snapshot(copy, COUNTS, MIGRATIONS)
            manifest = Manifest(engine, datetime.now(UTC).isoformat(timespec="seconds"), migrations, rows)
            archive.write(path, manifest, copy)
    except OSError as error:
        raise BackupRefused(f"{path} could not be written: {error.strerror or error}.") from None
    return manifest


def backup_check(*, path: Path) -> Manifest:
    """Check that a file can be restored now, and return its manifest. Raises BackupRefused."""
    manifest = archive.manifest_of(path)
    if manifest.engine != connection.vendor:
        raise BackupRefused(
            f"{path} is of a site on {ENGINES[manifest.engine]}, and this one is on {ENGINES[connection.vendor]}."
        )
    applied = [(app, name) for app, _, name in (text.partition(".") for text in manifest.migrations)]
    if is_too_old(applied):
        raise BackupRefused(
            f"{path} is too old for this version: restore it with {LAST_VERSION_WITH_EVERY_STEP}, as docs/operating.md says, "
            "make a new backup there, and restore that one here."
        )
    known_migrations = MigrationLoader(None).disk_migrations.keys() | replaced_migrations()
    installed = {app for app, _ in known_migrations}
    newer = [f"{app}.{name}" for app, name in applied if app in installed and (app, name) not in known_migrations]
    if newer:
        raise BackupRefused(f"{path} was made by a later version of EconEvals ({newer[-1]}). Install that one first.")
    if worker_was_here() or (_has_tables() and Run.objects.filter(lease_until__gt=Now()).exists()):
        seconds = max(settings.LEASE_SECONDS, mark_seconds())
        raise BackupRefused(
            f"A worker is running, or was in the last {seconds} seconds. Stop the site first and wait that long: "
            "what workers write meanwhile would be lost."
        )
    return manifest


def backup_restore(*, path: Path) -> Path | None:
    """Restore a backup in one transaction, after a backup of the current database.

    Returns the path of the new backup, or None if there was no database. Ids that were used since
    the restored backup are not used again. So no link or spooled reply can refer to a wrong row.
    Raises BackupRefused; then nothing was changed.
    """
    engine = ENGINE_MODULES[backup_check(path=path).engine]
    before = None
    if _has_tables():
        before = backups_folder() / f"before-restore-{datetime.now(UTC):%Y-%m-%d-%H%M%S-%f}.zip"
        backup_take(path=before)
    numbers = engine.highest_numbers()
    numbers["runs_exchange"] = max(numbers.get("runs_exchange", 0), *spool.exchanges(), 0)
    connections.close_all()
    try:
        with tempfile.TemporaryDirectory(dir=settings.DATA_DIR, prefix=".restore-") as folder:
            copy = Path(folder) / archive.DATABASE
            archive.extract(path, copy)
            engine.load(copy, AFTER_RESTORE, numbers)
    except OSError as error:
        raise BackupRefused(
            f"There is no room for the copy, and nothing was changed: {error.strerror or error}."
        ) from None
    call_command("migrate", verbosity=0, interactive=False)
    return before


def backups_folder() -> Path:
    folder = Path(settings.DATA_DIR) / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def _has_tables() -> bool:
    return Run._meta.db_table in connection.introspection.table_names()
