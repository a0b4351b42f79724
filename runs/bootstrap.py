"""Set up a new data folder: tables, an organization, its agents, an owner."""

from collections.abc import Iterable

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from accounts.models import Organization
from accounts.services.organizations import organization_create
from accounts.services.people import owner_create
from infrastructure.upgrades.age import is_too_old
from runs.launching.plan import LaunchPlan
from runs.launching.presets import DEMO
from runs.models import Agent, Experiment
from runs.services.catalog import catalog_install
from runs.services.experiments import experiment_launch

OWNER = "owner"


def migrate_if_needed() -> None:
    """Create or update the tables. If the tables are too old, the migrate command exits with code 2."""
    applied = MigrationRecorder(connection).applied_migrations()
    if is_too_old(applied) or not is_current(applied):
        call_command("migrate", verbosity=0, interactive=False)


def is_current(applied: Iterable[tuple[str, str]]) -> bool:
    """Whether no migration is left to apply, and no replaced migration is left to record."""
    executor = MigrationExecutor(connection)
    is_migrated = not executor.migration_plan(executor.loader.graph.leaf_nodes())
    return is_migrated and executor.loader.replacements.keys() <= set(applied)


def ensure_organization(*, allow_environment_keys: bool) -> tuple[Organization, str]:
    """The first organization, and the password of its owner if it was created here.

    If there is no organization, one is created together with an owner.
    """
    organization = Organization.objects.order_by("id").first()
    password = ""
    if organization is None:
        user, password = owner_create(username=OWNER, email="owner@localhost")
        organization = organization_create(
            name="My organization", slug="my-organization", owner=user, allow_environment_keys=allow_environment_keys
        )
    catalog_install(organization=organization)
    return organization, password


def ensure_demo(organization: Organization) -> bool:
    """Launch the demo if the organization has no experiment yet. Returns whether it did."""
    if Experiment.objects.filter(organization=organization).exists():
        return False
    baselines = {
        agent.baseline: agent for agent in Agent.objects.filter(organization=organization).exclude(baseline="")
    }
    for name, fields in DEMO:
        players = {
            "agents": tuple(baselines[slug] for slug in fields.get("agents", baselines)),
            "rival": baselines.get(fields.get("rival", "")),
        }
        experiment_launch(organization=organization, user=None, plan=LaunchPlan(**fields | players), name=name)
    return True
