"""Rebuild a game in progress from stored periods."""

from collections.abc import Sequence

from environments.base import Environment, Instance, Outcome
from environments.prompts.sets import prompts_of
from environments.registry import ATTEMPTS, ENVIRONMENTS, is_final
from runs.models import Period, Run


def begun(run: Run, outcomes: Sequence[Outcome] = (), problem: Instance | None = None) -> Environment:
    """The environment of a run after these outcomes, with the prompts of the run.

    problem: the instance, by default that of the run's row. Its proof may be newer than the outcomes: they are played again
    """
    environment = ENVIRONMENTS[run.instance.environment]
    problem = problem or run.instance.as_problem()
    is_older = problem.environment in ATTEMPTS and any(outcome.quality is None for outcome in outcomes)
    is_older = is_older and is_final(problem.environment, problem.reference)
    game = environment(
        problem,
        () if is_older else outcomes,
        variant=run.variant,
        reasoning=run.reasoning,
        periods=run.periods,
        prompts=run.prompts.prompt_set
        if run.prompts
        else prompts_of(environment.prompt_set, run.variant, run.prompt_version),
    )
    for outcome in outcomes if is_older else ():
        game.step(outcome.action)
    return game


def rebuild(run: Run, periods: int | None = None) -> Environment:
    """The environment of a run after its stored periods, or only after the first `periods` of them."""
    rows = Period.objects.filter(run=run)
    if periods is not None:
        rows = rows.filter(index__lt=periods)
    return begun(run, [row.as_outcome() for row in rows])
