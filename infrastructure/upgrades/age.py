from collections.abc import Iterable

from django.db.migrations.loader import MigrationLoader

LAST_VERSION_WITH_EVERY_STEP = "the version of 28 November 2026, 18:30 UTC"
"""docs/operating.md says how to install it."""


def replaced_migrations() -> set[tuple[str, str]]:
    """The migrations, as (package, name), that others replace."""
    return {name for migration in MigrationLoader(None).replacements.values() for name in migration.replaces}


def is_too_old(applied: Iterable[tuple[str, str]]) -> bool:
    """Whether some migrations of a package were applied and others, whose files are gone, were not."""
    loader = MigrationLoader(None)
    present, there = set(applied), loader.disk_migrations.keys()
    replaced = [set(migration.replaces) for migration in loader.replacements.values()]
    return any(present & names and names - present - there for names in replaced)
