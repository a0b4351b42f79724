from typing import Any

from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

from infrastructure.processes.memory import settle_memory
from infrastructure.upgrades.age import LAST_VERSION_WITH_EVERY_STEP, is_too_old
from runs.management.launches import fail


class Command(migrate.Command):
    # System checks import every page, which takes longer than making the tables.
    requires_system_checks: list[str] = []

    def run_from_argv(self, argv: list[str]) -> None:
        settle_memory()
        super().run_from_argv(argv)

    def handle(self, *args: Any, **options: Any) -> None:
        """Apply the migrations. Refuses a database that is too old for them.

        Without this check, Django's error would name migration files that no longer exist.
        """
        if is_too_old(MigrationRecorder(connections[options["database"]]).applied_migrations()):
            fail(
                f"The database is too old for this version: start {LAST_VERSION_WITH_EVERY_STEP}, once, as docs/operating.md "
                "says, and then this one."
            )
        super().handle(*args, **options)
