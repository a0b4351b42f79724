"""Several runs of an agent on one instance."""

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
from django.db.models import Avg, BigIntegerField, Case, F, QuerySet, When
from numpy.typing import NDArray

from infrastructure.fields import Floats, Integers
from runs.models import Run
from runs.selectors.cells import SCORED

DRAW = Case(When(agent__baseline="", then=F("id")), default=F("repeat"), output_field=BigIntegerField())
"""Runs of an agent on an instance with the same number are copies: a baseline plays a repeat with the same random numbers."""


class ScoredRuns(NamedTuple):
    """The scored runs of one environment and difficulty, without copies.

    agents, instances: their ids; scores: in points; all of shape (runs,)
    cost_nano: mean cost of a run
    """

    agents: NDArray[np.int64]
    instances: NDArray[np.int64]
    scores: NDArray[np.float64]
    cost_nano: float


def scored_runs(runs: QuerySet[Run]) -> dict[tuple[str, str], ScoredRuns]:
    """The scored runs by environment and difficulty. One query."""
    rows: Iterable[Any] = (
        runs.filter(SCORED)
        .order_by()
        .values_list("instance__environment", "instance__difficulty")
        .annotate(
            agents=Integers("agent_id"),
            instances=Integers("instance_id"),
            draws=Integers(DRAW),
            scores=Floats("score"),
            cost=Avg("cost_nano"),
        )
    )
    columns = {}
    for environment, difficulty, agents, instances, draws, scores, cost in rows:
        _, first = np.unique(np.stack([agents, instances, draws]), axis=1, return_index=True)
        kept = first[np.isfinite(scores[first])]
        columns[environment, difficulty] = ScoredRuns(agents[kept], instances[kept], 100 * scores[kept], cost)
    return columns
