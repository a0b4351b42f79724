"""Rebuild a game in progress from stored periods."""

from collections.abc import Sequence

from environments.base import Environment, Instance, Outcome
from environments.prompts.as_run import prompts_of
from environments.registry import ENVIRONMENTS
from runs.models import Period, Run


def begun(run: Run, outcomes: Sequence[Outcome] = (), problem: Instance | None = None) -> Environment:
    """The environment of a run after these outcomes, with the prompts of the run.

    problem: the instance, by default that of the run's row
    """
    environment = ENVIRONMENTS[run.instance.environment]
    return environment(
        problem or run.instance.as_problem(),
        outcomes,
        variant=run.variant,
        reasoning=run.reasoning,
        periods=run.periods,
        prompts=run.prompts.prompt_set
        if run.prompts
        else prompts_of(environment.prompt_set, run.variant, run.prompt_version),
    )


def rebuild(run: Run, periods: int | None = None) -> Environment:
    """The environment of a run after its stored periods, or only after the first `periods` of them."""
    rows = Period.objects.filter(run=run)
    if periods is not None:
        rows = rows.filter(index__lt=periods)
    return begun(run, [row.as_outcome() for row in rows])
