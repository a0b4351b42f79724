"""What can be chosen on the exports page."""

from __future__ import annotations

from accounts.models import Organization
from runs.models import Agent, Run


def agents_with_runs(*, organization: Organization) -> list[tuple[str, str]]:
    """(slug, name) of every agent that has a run, in either seat of a market."""
    runs = Run.objects.filter(organization=organization)
    played = runs.values("agent").union(runs.exclude(rival=None).values("rival"))
    agents = Agent.objects.filter(organization=organization, pk__in=played).order_by("name", "slug")
    return list(agents.values_list("slug", "name"))
