"""Database reads for the benchmark table.

The database joins the runs of each cell; NumPy averages the runs of an instance.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from django.db.models import Case, Count, F, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce
from numpy.typing import NDArray

from analysis.base.table import BenchmarkColumn, TableRow, kind_of
from analysis.benchmark.table import CellScores, ScoredRun, ScoredRuns, cell_summary
from infrastructure.fields import Floats, Integers, Joined
from infrastructure.figures.theme import MOST_DOTS
from runs.models import Agent, Run
from runs.selectors.cells import SCORED
from stats.summaries import Summary, summary

COLUMN_FIELDS = {"environment": F("instance__environment"), "difficulty": F("instance__difficulty")}
SOLVED_BY_LETTER = {"1": True, "0": False, "-": None}
"""The value of `solved` by the letter of a scored run."""
UNSCORED = "x"
LETTER = Case(
    When(~SCORED, then=Value(UNSCORED)),
    When(solved=None, then=Value("-")),
    When(solved=True, then=Value("1")),
    default=Value("0"),
)


def cell_scores(runs: QuerySet[Run]) -> list[CellScores]:
    """One row for each agent and column. One query."""
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
    return list(_averaged(list(rows)))


def _averaged(rows: Sequence[Any]) -> Iterator[CellScores]:
    """The cells, averaged by instance. In `rows`, the instances, scores and letters of a cell's runs are joined.

    All cells are computed at once, since NumPy takes far longer for hundreds of short arrays than for a long one.
    """
    if not rows:
        return
    *labels, instances, scores, letters, imports = zip(*rows, strict=True)
    letter = np.frombuffer("".join(letters).encode(), dtype="S1")
    is_scored = letter != UNSCORED.encode()
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
    bounds = np.searchsorted(cell_of_key, np.arange(1, len(rows)))
    for number, (agent_id, environment, difficulty, cell_ids, cell_means) in enumerate(
        zip(*labels, np.split(id_of_key, bounds), np.split(means, bounds), strict=True)
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
