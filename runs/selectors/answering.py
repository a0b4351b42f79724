"""Agents whose model can be called outside of a run: to name clusters of notes, or to answer a question."""

from django.db.models import QuerySet

from accounts.models import Organization
from runs.models import Agent


def answering_agents(*, organization: Organization) -> QuerySet[Agent]:
    """Agents with a model that this site can call, sorted by name."""
    return (
        Agent.objects.filter(
            organization=organization, baseline="", imported=False, archived_at=None, endpoint__isnull=False
        )
        .select_related("endpoint")
        .order_by("name")
    )
