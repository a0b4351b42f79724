"""From stored periods back to a game in progress."""

from __future__ import annotations

from environments.base import Environment
from environments.registry import ENVIRONMENTS
from runs.models import Period, Run


def rebuild(run: Run, periods: int | None = None) -> Environment:
    """The environment of a run as its stored periods left it, or as it was before period number `periods`."""
    rows = Period.objects.filter(run=run)
    if periods is not None:
        rows = rows.filter(index__lt=periods)
    return ENVIRONMENTS[run.instance.environment](
        run.instance.as_problem(),
        [row.as_outcome() for row in rows],
        variant=run.variant,
        reasoning=run.reasoning,
        periods=run.periods,
    )
