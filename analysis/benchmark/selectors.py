"""Reads for the benchmark table: the database joins the runs of each cell, and NumPy averages those of an instance."""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from django.db.models import Aggregate, Case, Count, F, Func, Q, QuerySet, TextField, Value, When
from django.db.models.functions import Cast
from numpy.typing import NDArray

from analysis.base.table import kind_of
from analysis.benchmark.table import BenchmarkColumn, CellScores, Player, ScoredRun, ScoredRuns, cell_summary
from analysis.figures.theme import MOST_DOTS
from runs.models import Agent, Run, RunState
from stats.summaries import Summary, summary

SCORED = Q(state=RunState.FINISHED, score__isnull=False)
PLACE = {"environment": F("instance__environment"), "difficulty": F("instance__difficulty")}
MEANING = {"1": True, "0": False, "-": None}
"""What the letter of a run says of `solved`."""
SOLVED, UNSOLVED, UNKNOWN = (Value(letter, TextField()) for letter in MEANING)
IS_SOLVED = Case(When(~SCORED | Q(solved=None), then=UNKNOWN), When(solved=True, then=SOLVED), default=UNSOLVED)


class _Exact(Func):
    """A number as text with all its digits."""

    output_field = TextField()
    template = "(%(expressions)s)::text"

    def as_sqlite(self, *compiled: Any, **context: Any) -> Any:
        return self.as_sql(*compiled, **{"template": "printf('%%%%!.17g', %(expressions)s)"} | context)


class _Joined(Aggregate):
    """The texts of a group as one text, which is read faster than a row for each."""

    output_field = TextField()
    template = "string_agg(%(expressions)s, '%(separator)s')"

    def as_sqlite(self, *compiled: Any, **context: Any) -> Any:
        return self.as_sql(*compiled, **{"template": "group_concat(%(expressions)s, '%(separator)s')"} | context)


def cell_scores(runs: QuerySet[Run]) -> list[CellScores]:
    """One row for each agent and column. One query."""
    scores = Case(When(SCORED, then=_Exact("score")), default=Value("nan", TextField()))
    rows: Iterable[Any] = (
        runs.order_by("agent_id")
        .values_list("agent_id", *PLACE.values())
        .annotate(
            ids=_Joined(Cast("instance_id", TextField()), separator=","),
            scores=_Joined(scores, separator=","),
            are_solved=_Joined(IS_SOLVED, separator=""),
            imports=Count("id", filter=Q(imported=True)),
        )
    )
    return [_cell(*row) for row in rows]


def _cell(
    agent_id: int, environment: str, difficulty: str, ids: str, scores: str, are_solved: str, imports: int
) -> CellScores:
    """The cell of runs whose instances, scores and solutions are joined, averaged by instance."""
    instances, place = np.unique(np.fromstring(ids, dtype=np.int64, sep=","), return_inverse=True)
    run_scores, letters = np.fromstring(scores, sep=","), np.frombuffer(are_solved.encode(), dtype="S1")
    run_solved = np.where(letters == b"-", np.nan, letters == b"1")
    scored = int(np.count_nonzero(~np.isnan(run_scores)))
    return CellScores(
        agent_id,
        BenchmarkColumn(environment, difficulty),
        instances,
        _means(run_scores, place, len(instances)),
        None if np.isnan(run_solved).all() else int(np.count_nonzero(_means(run_solved, place, len(instances)) == 1)),
        scored,
        len(run_scores) - scored,
        bool(imports),
    )


def _means(values: NDArray[np.float64], place: NDArray[np.int64], length: int) -> NDArray[np.float64]:
    """The mean of the values of each place that are not NaN, NaN where there is none."""
    known = ~np.isnan(values)
    sums, counts = (np.bincount(place[known], weights, length) for weights in (values[known], None))
    return np.divide(sums, counts, out=np.full(length, np.nan), where=counts > 0)


def runs_summary(runs: QuerySet[Run]) -> Summary:
    """The summary of one agent's runs in one column. One query."""
    cells = cell_scores(runs)
    return cell_summary(cells[0]) if cells else summary([], of=0)


def players(cells: Sequence[CellScores]) -> list[Player]:
    """The agents of the cells. An agent with imported runs counts as imported. One query."""
    imported = {cell.agent_id for cell in cells if cell.is_imported}
    agents = Agent.objects.filter(pk__in={cell.agent_id for cell in cells}).order_by("pk")
    return [
        Player(agent, slug, name, kind_of(agent in imported, bool(baseline), played_by))
        for agent, slug, name, baseline, played_by in agents.values_list(
            "pk", "slug", "name", "baseline", "player_class"
        )
    ]


def scored_runs(runs: QuerySet[Run], most: int = MOST_DOTS) -> ScoredRuns:
    """The finished runs behind a strip plot. Of more than `most` an even selection by score is shown. One query."""
    rows: Iterable[Any] = (
        runs.filter(SCORED)
        .order_by("agent_id")
        .values_list("agent_id", PLACE["difficulty"])
        .annotate(
            ids=_Joined(Cast("id", TextField()), separator=","),
            seeds=_Joined(Cast("instance__seed", TextField()), separator=","),
            scores=_Joined(_Exact("score"), separator=","),
            are_solved=_Joined(IS_SOLVED, separator=""),
        )
    )
    groups = [
        (
            (agent, difficulty),
            np.fromstring(ids, np.int64, sep=","),
            seeds.split(","),
            np.fromstring(scores, sep=","),
            solved,
        )
        for agent, difficulty, ids, seeds, scores, solved in rows
    ]
    total = sum(len(scores) for *_, scores, _ in groups)
    step = -(-total // most) or 1
    shown = {}
    for (agent, difficulty), ids, seeds, scores, solved in groups:
        by_score = np.lexsort((ids, scores)).tolist()
        kept = by_score if step == 1 else [*by_score[:-1:step], by_score[-1]]
        shown[agent, difficulty] = [
            ScoredRun(int(ids[one]), agent, difficulty, int(seeds[one]), float(scores[one]), MEANING[solved[one]])
            for one in kept
        ]
    low, high = (pick((pick(scores) for *_, scores, _ in groups), default=0.0) for pick in (min, max))
    return ScoredRuns(shown, total, low, high)
