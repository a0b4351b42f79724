"""Database reads for the benchmark table.

The database joins the runs of each cell; NumPy averages the runs of an instance.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from operator import or_
from typing import Any

import numpy as np
from django.db.models import Case, Count, F, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from analysis.base.table import BenchmarkColumn, TableRow, kind_of
from analysis.benchmark.cells import CellScores, cell_summary
from analysis.benchmark.table import ScoredRun, ScoredRuns
from environments.prompts.variants import OWN
from environments.registry import ENVIRONMENTS
from infrastructure.fields import Floats, Integers, Joined
from infrastructure.figures.theme import MOST_DOTS
from runs.models import Agent, Run, RunState
from runs.models.runs import NOT_PLAYED, RETRYABLE
from runs.selectors.cells import SCORED
from stats.summaries import Summary, summary

COLUMN_FIELDS = {"environment": F("instance__environment"), "difficulty": F("instance__difficulty")}
SOLVED_BY_LETTER = {"1": True, "0": False, "-": None}
"""The value of `solved` by the letter of a scored run."""
UNSCORED, MISSING = "x", "m"
ENDED_UNSCORED = Q(state__in=(*RETRYABLE, RunState.CANCELLED)) & ~NOT_PLAYED
"""Runs that ended without a score: stalled, failed, or cancelled by a person."""
LETTER = Case(
    When(ENDED_UNSCORED, then=Value(MISSING)),
    When(~SCORED, then=Value(UNSCORED)),
    When(solved=None, then=Value("-")),
    When(solved=True, then=Value("1")),
    default=Value("0"),
)


def cell_scores(runs: QuerySet[Run]) -> list[CellScores]:
    """One row for each agent and column. One query, and one more where `reached_qualities` are needed."""
    rows: Iterable[Any] = (
        runs.order_by("agent_id")
        .values_list("agent_id", *COLUMN_FIELDS.values())
        .annotate(
            instances=Integers("instance_id"),
            scores=Floats(Coalesce("score", 0.0)),
            letters=Joined(LETTER),
            imports=Count("id", filter=Q(imported=True)),
        )
    )
    cells = list(_averaged(list(rows)))
    if not any(len(cell.missing) and cell.column.environment in BEST_SO_FAR for cell in cells):
        return cells
    reached = reached_qualities(runs)
    return [
        replace(cell, reached=np.array([reached.get((cell.agent_id, int(id_)), np.nan) for id_ in cell.missing]))
        for cell in cells
    ]


BEST_SO_FAR = [name for name, environment in ENVIRONMENTS.items() if environment.lowest_score.is_best_so_far]
OTHER_WORLDS = reduce(
    or_,
    (
        Q(variant=name) | Q(variant__startswith=f"{name}{OWN}")
        for environment in BEST_SO_FAR
        for name, variant in ENVIRONMENTS[environment].variants.items()
        if variant.settings
    ),
    Q(),
)
"""Runs of variants that change the world of a run, whose scores also count what is reached after the change."""


def reached_qualities(runs: QuerySet[Run]) -> dict[tuple[int, int], float]:
    """The best quality that runs which ended without a score had reached, by (agent id, instance id). One query.

    It is 0 for a run without a period, and the lower one of several runs. Only environments whose scores cannot fall
    below it are in it.
    """
    rows: Iterable[Any] = (
        runs.filter(ENDED_UNSCORED, instance__environment__in=BEST_SO_FAR)
        .exclude(OTHER_WORLDS)
        .order_by()
        .values_list("agent_id", "instance_id", Coalesce("best_quality", 0.0))
    )
    reached: dict[tuple[int, int], float] = {}
    for agent, instance, best in rows:
        reached[agent, instance] = min(best, reached.get((agent, instance), best))
    return reached


def _averaged(rows: Sequence[Any]) -> Iterator[CellScores]:
    """The cells, averaged by instance. In `rows`, the instances, scores and letters of a cell's runs are joined.

    All cells are computed at once, since NumPy takes far longer for hundreds of short arrays than for a long one.
    """
    if not rows:
        return
    *labels, instances, scores, letters, imports = zip(*rows, strict=True)
    letter = np.frombuffer("".join(letters).encode(), dtype="S1")
    is_scored = (letter != UNSCORED.encode()) & (letter != MISSING.encode())
    is_judged = (letter == b"1") | (letter == b"0")
    cell = np.repeat(np.arange(len(rows)), [len(cell_letters) for cell_letters in letters])
    ids = np.concatenate(instances)
    # A key stands for one instance in one cell. Sorted keys follow the order of the cells.
    span = ids.max() + 1
    keys, key_index = np.unique(cell * span + ids, return_inverse=True)
    cell_of_key, id_of_key = np.divmod(keys, span)
    means = _means(np.concatenate(scores), is_scored, key_index, len(keys))
    solved = _means(letter == b"1", is_judged, key_index, len(keys))
    judged, wins, scored = (
        np.bincount(groups, weights, len(rows)).astype(int).tolist()
        for groups, weights in ((cell_of_key, ~np.isnan(solved)), (cell_of_key, solved == 1), (cell, is_scored))
    )
    ended = np.isnan(means) & (np.bincount(key_index, letter == MISSING.encode(), len(keys)) > 0)
    bounds = np.searchsorted(cell_of_key, np.arange(1, len(rows)))
    parts = (np.split(values, bounds) for values in (id_of_key, means, ended))
    for number, (agent_id, environment, difficulty, cell_ids, cell_means, has_ended) in enumerate(
        zip(*labels, *parts, strict=True)
    ):
        yield CellScores(
            agent_id,
            BenchmarkColumn(environment, difficulty),
            cell_ids,
            cell_means,
            wins[number] if judged[number] else None,
            scored[number],
            len(letters[number]) - scored[number],
            bool(imports[number]),
            cell_ids[has_ended],
        )


def _means(
    values: NDArray[Any], is_counted: NDArray[np.bool_], groups: NDArray[np.int64], length: int
) -> NDArray[np.float64]:
    """The mean of the counted values of each group, NaN for a group without any."""
    sums, counts = (np.bincount(groups[is_counted], weights, length) for weights in (values[is_counted], None))
    return np.divide(sums, counts, out=np.full(length, np.nan), where=counts > 0)


def runs_summary(runs: QuerySet[Run]) -> Summary:
    """The summary of one agent's runs in one column. One query."""
    cells = cell_scores(runs)
    return cell_summary(cells[0]) if cells else summary([], of=0)


def table_agents(cells: Sequence[CellScores]) -> list[TableRow]:
    """The agents of the cells. An agent with imported runs counts as imported. One query."""
    return agent_rows({cell.agent_id for cell in cells}, {cell.agent_id for cell in cells if cell.is_imported})


def agent_rows(ids: Collection[int], imported: Collection[int]) -> list[TableRow]:
    """The agents with these ids, by id. imported: ids of those with imported runs. One query."""
    agents = Agent.objects.filter(pk__in=ids).order_by("pk")
    return [
        TableRow(name, kind_of(agent in imported, bool(baseline), played_by), agent, slug)
        for agent, slug, name, baseline, played_by in agents.values_list(
            "pk", "slug", "name", "baseline", "player_class"
        )
    ]


def scored_runs(runs: QuerySet[Run], most: int = MOST_DOTS) -> ScoredRuns:
    """The finished runs behind a strip plot.

    Of more than `most` runs, a selection spread evenly by score is shown. One query.
    """
    rows: Collection[Any] = (
        runs.filter(SCORED)
        .order_by("agent_id")
        .values_list("agent_id", COLUMN_FIELDS["difficulty"])
        .annotate(
            ids=Integers("id"),
            seeds=Integers("instance__seed"),
            scores=Floats("score"),
            letters=Joined(LETTER),
        )
    )
    total = sum(len(scores) for *_, scores, _ in rows)
    step = -(-total // most) or 1
    dots = {}
    for agent, difficulty, ids, seeds, scores, letters in rows:
        by_score = np.lexsort((ids, scores)).tolist()
        indices = by_score if step == 1 else [*by_score[:-1:step], by_score[-1]]
        dots[agent, difficulty] = [
            ScoredRun(int(ids[index]), int(seeds[index]), float(scores[index]), SOLVED_BY_LETTER[letters[index]])
            for index in indices
        ]
    low, high = (pick((pick(scores) for *_, scores, _ in rows), default=0.0) for pick in (min, max))
    return ScoredRuns(dots, total, low, high)
