"""Runs for a running site, made in a process beside it and played by its worker."""

from tests.cast import launched
from tests.waiting import wait_until


def play(environment, *, seeds, periods, agent="random", **options):
    """An experiment of a baseline in the only organization, once nothing on the site is being played any more."""
    from accounts.models import Organization
    from runs.models import Run, RunState

    organization = Organization.objects.get()
    agents = organization.agents.filter(slug=agent)
    experiment = launched(organization, agents, environments=(environment,), seeds=seeds, periods=periods, **options)
    unfinished = Run.objects.exclude(state=RunState.FINISHED)
    left = lambda: list(unfinished.values_list("id", "state", "periods_played"))  # noqa: E731
    wait_until(lambda: not unfinished.exists(), left, every=0.3)
    return experiment
