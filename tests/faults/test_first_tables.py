"""The tables of an empty database are created quickly, and an interrupted start resumes."""

import pytest
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.operations import CreateModel

from infrastructure.upgrades.age import is_too_old
from infrastructure.upgrades.first_tables import FirstTables
from tests.faults.zygote import Zygote

MOST_RENDERED = 2_000
"""Models that Django renders to make all tables, and for the migrations since: each field that these add or change renders a
hundred. It was 1,171 when each package had one migration. Join the migrations again rather than raise this."""

INTERRUPTED = f"""
from django.core.management import call_command
from django.db.migrations.recorder import MigrationRecorder
from django.db.migrations.state import ModelState

def interrupted(self, app, name):
    if name == "0010_times_of_imported_runs":
        raise KeyboardInterrupt
    record(self, app, name)

rendered, render = [], ModelState.render
ModelState.render = lambda *words: rendered.append(1) or render(*words)
record, MigrationRecorder.record_applied = MigrationRecorder.record_applied, interrupted
try:
    call_command("migrate", verbosity=0)
except KeyboardInterrupt:
    MigrationRecorder.record_applied = record
call_command("migrate", verbosity=0)
assert record is MigrationRecorder.record_applied, "It was not interrupted."
assert 0 < len(rendered) <= {MOST_RENDERED}, len(rendered)
"""


@pytest.fixture(params=["sqlite", "postgres"])
def site(request):
    stage = request.getfixturevalue(f"{request.param}_stage")
    zygote = Zygote(stage.folder, stage.variables)
    yield zygote
    zygote.close()


def test_a_first_migration_only_creates_models():
    """FirstTables applies its operations as if they were one."""
    first = [step for step in MigrationLoader(None).disk_migrations.values() if isinstance(step, FirstTables)]
    assert len(first) >= 16
    assert {type(operation) for step in first for operation in step.operations} == {CreateModel}


def test_an_empty_database_migrates_with_few_models_and_resumes_after_interruption(site):
    site.call("python", text=INTERRUPTED)
    site.command("migrate", "--check")


def test_tables_are_too_old_without_all_replaced_migrations_of_a_package():
    replaced = {key: set(step.replaces) for key, step in MigrationLoader(None).replacements.items()}
    names = set().union(*replaced.values())
    assert not is_too_old([]) and not is_too_old(names)
    for of_a_package in replaced.values():
        assert not is_too_old(of_a_package), "a first start was interrupted after this package"
        assert all(is_too_old(names - {name}) for name in of_a_package)
