"""Runs for a running site, made in a process beside it and played by its worker."""

import time
from typing import Any

WAIT_SECONDS = 120


def play(environment: str, *, seeds: tuple[int, ...], periods: int, agent: str = "random", **options: Any) -> Any:
    """An experiment of a baseline in the only organization, once nothing on the site is being played any more."""
    from accounts.models import Organization
    from runs.launching.plan import LaunchPlan
    from runs.models import Run, RunState
    from runs.services import experiment_launch

    organization = Organization.objects.get()
    values = {"difficulties": ("BASIC",), "seeds": seeds, "periods": periods} | options
    agents = tuple(organization.agents.filter(slug=agent))
    plan = LaunchPlan(environments=(environment,), agents=agents, **values)
    owner = organization.memberships.get(role="owner").user
    experiment = experiment_launch(organization=organization, user=owner, plan=plan)
    deadline = time.monotonic() + WAIT_SECONDS
    while Run.objects.exclude(state=RunState.FINISHED).exists():
        assert time.monotonic() < deadline, list(Run.objects.values_list("id", "state", "periods_played"))
        time.sleep(0.3)
    return experiment
