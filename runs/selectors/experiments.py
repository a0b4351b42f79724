"""Queries for one experiment or one run."""

from django.core.exceptions import PermissionDenied
from django.db.models import Q
from django.shortcuts import get_object_or_404
from django.utils import timezone

from accounts.deletions import KEPT_FOR
from accounts.models import Organization, User
from environments.generation import difficulty_title
from environments.registry import ENVIRONMENTS
from runs.models import Experiment, Run
from runs.models.instances import IS_SEALED
from runs.selectors.cells import environment_title


def environments_of(experiment: Experiment) -> str:
    """The environments of an experiment in words: 'Procurement, Pricing'."""
    named = experiment.spec.get("environments", ())
    return ", ".join(ENVIRONMENTS[name].title if name in ENVIRONMENTS else name for name in named)


def experiment_or_404(*, organization: Organization, experiment_id: int) -> Experiment:
    return get_object_or_404(
        Experiment.objects.select_related("created_by"), organization=organization, pk=experiment_id
    )


def recent_experiment_or_404(*, organization: Organization, experiment_id: int) -> Experiment:
    """An experiment that is not deleted, or was deleted within a day. Raises Http404."""
    return get_object_or_404(
        Experiment.with_deleted.select_related("created_by"),
        Q(deleted_at=None) | Q(deleted_at__gt=timezone.now() - KEPT_FOR),
        organization=organization,
        pk=experiment_id,
    )


def last_launch(*, organization: Organization, user: User) -> Experiment | None:
    """The newest experiment that the person launched, not imported. None if there is none."""
    launched = Experiment.objects.filter(organization=organization, created_by=user, spec__imported__isnull=True)
    return launched.only("pk", "name").order_by("-pk").first()


def run_or_404(*, organization: Organization, run_id: int) -> Run:
    """A run with its instance, agents and experiment."""
    return get_object_or_404(
        Run.objects.select_related("instance", "agent", "rival", "experiment"), organization=organization, pk=run_id
    )


def open_run_or_404(*, organization: Organization, run_id: int) -> Run:
    """The same as run_or_404, but raises PermissionDenied while the instance of the run is sealed."""
    run = run_or_404(organization=organization, run_id=run_id)
    if run.instance.is_sealed:
        raise PermissionDenied(IS_SEALED)
    return run


WITHOUT_BULK = ("config", "metrics", "instance__parameters", "instance__hidden", "instance__reference")
"""Large fields of a run, to be left out where only its title is needed."""


def run_title(run: Run) -> str:
    """The title of a run: 'GPT-5 on pricing BASIC, seed 3'."""
    instance = run.instance
    who = f"{run.agent.name} against {run.rival.name}" if run.rival else run.agent.name
    game = environment_title(instance.environment).lower()
    return f"{who} on {game} {difficulty_title(instance.difficulty)}, {instance.numbered}"
