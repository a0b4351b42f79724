"""Queries for one run."""

from django.core.exceptions import PermissionDenied
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from runs.models import Run
from runs.models.instances import IS_SEALED
from runs.selectors.cells import environment_title


def run_or_404(*, organization: Organization, run_id: int) -> Run:
    """A run with its instance, agents and experiment."""
    runs = Run.objects.select_related("instance", "agent", "rival", "experiment")
    return get_object_or_404(runs, organization=organization, pk=run_id)


def open_run_or_404(*, organization: Organization, run_id: int) -> Run:
    """As run_or_404. Raises PermissionDenied while the instance of the run is sealed."""
    run = run_or_404(organization=organization, run_id=run_id)
    if run.instance.is_sealed:
        raise PermissionDenied(IS_SEALED)
    return run


WITHOUT_BULK = ("config", "metrics", "instance__parameters", "instance__hidden", "instance__reference")
"""Large fields of a run, which its title does not need."""


def run_title(run: Run) -> str:
    """'GPT-5 on pricing BASIC, seed 3'."""
    instance = run.instance
    who = f"{run.agent.name} against {run.rival.name}" if run.rival else run.agent.name
    game = environment_title(instance.environment).lower()
    return f"{who} on {game} {instance.difficulty}, {instance.numbered}"
