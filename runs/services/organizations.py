from __future__ import annotations

from accounts.models import Organization
from runs.models import Agent, Experiment, Instance
from runs.services.experiments import experiment_delete


def organization_empty(*, organization: Organization) -> None:
    """Stop and delete all experiments, instances and agents before the organization is deleted.

    The order follows the protected foreign keys.
    """
    for experiment in Experiment.objects.filter(organization=organization):
        experiment_delete(experiment=experiment)
    Instance.objects.filter(organization=organization).delete()
    Agent.objects.filter(organization=organization).delete()
