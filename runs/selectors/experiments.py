"""Queries for one experiment."""

from __future__ import annotations

from django.shortcuts import get_object_or_404

from accounts.models import Organization
from environments.registry import ENVIRONMENTS
from runs.models import Experiment


def environments_of(experiment: Experiment) -> str:
    """'Procurement, Pricing'."""
    names = experiment.spec.get("environments", ())
    return ", ".join(ENVIRONMENTS[name].title if name in ENVIRONMENTS else name for name in names)


def experiment_or_404(*, organization: Organization, experiment_id: int) -> Experiment:
    return get_object_or_404(
        Experiment.objects.select_related("created_by"), organization=organization, pk=experiment_id
    )
