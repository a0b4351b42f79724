"""Queries for one experiment."""

from django.db.models import Q
from django.shortcuts import get_object_or_404
from django.utils import timezone

from accounts.deletions import KEPT_FOR
from accounts.models import Organization, User
from environments.registry import ENVIRONMENTS
from runs.models import Experiment


def environments_of(experiment: Experiment) -> str:
    """'Procurement, Pricing'."""
    names = experiment.spec.get("environments", ())
    return ", ".join(ENVIRONMENTS[name].title if name in ENVIRONMENTS else name for name in names)


def experiment_or_404(*, organization: Organization, experiment_id: int) -> Experiment:
    rows = Experiment.objects.select_related("created_by")
    return get_object_or_404(rows, organization=organization, pk=experiment_id)


def recent_experiment_or_404(*, organization: Organization, experiment_id: int) -> Experiment:
    """An experiment that was deleted within a day, or was not."""
    recent = Q(deleted_at=None) | Q(deleted_at__gt=timezone.now() - KEPT_FOR)
    rows = Experiment.with_deleted.filter(recent).select_related("created_by")
    return get_object_or_404(rows, organization=organization, pk=experiment_id)


def last_launch(*, organization: Organization, user: User) -> Experiment | None:
    """The person's newest experiment that was launched and not imported."""
    launched = Experiment.objects.filter(organization=organization, created_by=user, spec__imported__isnull=True)
    return launched.only("pk", "name").order_by("-pk").first()
