"""From stored periods back to a game in progress."""

from __future__ import annotations

from collections.abc import Sequence

from environments.base import Environment, Outcome
from environments.registry import ENVIRONMENTS
from runs.models import Period, Run


def begun(run: Run, outcomes: Sequence[Outcome] = ()) -> Environment:
    """The environment of a run with these outcomes, and with the prompts that the run began with."""
    return ENVIRONMENTS[run.instance.environment](
        run.instance.as_problem(),
        outcomes,
        variant=run.variant,
        reasoning=run.reasoning,
        periods=run.periods,
        prompt_version=run.prompt_version,
    )


def rebuild(run: Run, periods: int | None = None) -> Environment:
    """The environment of a run as its stored periods left it, or as it was before period number `periods`."""
    rows = Period.objects.filter(run=run)
    if periods is not None:
        rows = rows.filter(index__lt=periods)
    return begun(run, [row.as_outcome() for row in rows])
