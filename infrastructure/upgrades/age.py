from collections.abc import Iterable

from django.db.migrations.loader import MigrationLoader

LAST_VERSION_WITH_EVERY_STEP = "the version of 28 November 2026, 18:30 UTC"
"""The last version that has the files of all migrations. docs/operating.md says how to install it."""


def replaced_migrations() -> set[tuple[str, str]]:
    """Return (package, name) of all migrations that were replaced by others."""
    return {name for migration in MigrationLoader(None).replacements.values() for name in migration.replaces}


def is_too_old(applied: Iterable[tuple[str, str]]) -> bool:
    """Whether a package has some replaced migrations applied, but lacks others whose files are gone."""
    loader = MigrationLoader(None)
    present, there = set(applied), loader.disk_migrations.keys()
    replaced = [set(migration.replaces) for migration in loader.replacements.values()]
    return any(present & names and names - present - there for names in replaced)
