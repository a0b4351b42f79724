"""The tables of the mechanisms page as records."""

from collections.abc import Iterable, Sequence

from analysis.base.table import RunRecord
from analysis.exports import columns
from analysis.mechanisms.means import Means, ReasoningTest
from analysis.mechanisms.pairs import POOLED, PairGrid
from games.registry import parts_of
from infrastructure.text.tables import Table
from stats.pairwise import Welch


def pair_tests(grid: PairGrid) -> Table:
    """One row for each test, in points. `difficulty` is 'all' for tests that pool the difficulties."""
    names = columns(
        "environment", "difficulty", "first", "second", "instances", "ties", "difference", "rank_biserial",
        "p", "p_holm", "stars", "significant_difficulties", "in_majority_direction",
    )  # fmt: skip
    rows = []
    for pair in grid.pairs:
        agree, significant = pair.consistency()
        for key, test in pair.tests.items():
            counts = (significant, agree) if key == POOLED else (None, None)
            rows.append((
                grid.environment, key or "all", pair.first.name, pair.second.name, test.n, test.zeros,
                test.difference, test.effect, test.p, test.adjusted_p, test.stars, *counts,
            ))  # fmt: skip
    return Table("Tests of every two agents", names, rows)


def difficulty_tests(grid: PairGrid) -> Table:
    """Welch's tests, one row for each agent. A row without a test has a sentence instead."""
    names = columns(
        "environment", "agent", "first_mean", "first_n", "second_mean", "second_n", "t", "degrees", "p", "p_holm", "note",
    )  # fmt: skip
    rows = [(grid.environment, change.player.name, *_welch(change.test)) for change in grid.changes]
    return Table("Easiest against hardest difficulty", names, rows)


def reasoning_models(environment: str, tests: Iterable[ReasoningTest]) -> Table:
    """Welch's tests of reasoning models against other models, in percent or points.

    A row without a test has a sentence instead.
    """
    names = columns(
        "environment", "metric", "difficulty", "others_mean", "others_n", "reasoning_mean", "reasoning_n",
        "t", "degrees", "p", "p_holm", "note",
    )  # fmt: skip
    rows = [(environment, row.metric.key, row.difficulty, *_welch(row.test)) for row in tests]
    return Table("Reasoning models against other models", names, rows)


def _welch(test: Welch | str) -> tuple[object, ...]:
    if isinstance(test, str):
        return (*(None,) * 8, test)
    means = (test.first_mean, test.first_n, test.second_mean, test.second_n)
    return (*means, test.t, test.degrees, test.p, test.adjusted_p, None)


def metric_means(environment: str, means: Sequence[Means]) -> Table:
    """One row for each agent, difficulty and metric. The metric is in percent, the score in points."""
    names = columns(
        "environment", "difficulty", "metric", "agent", "row", "reasoning", "released", "metric_percent", "metric_runs",
        "score", "runs",
    )  # fmt: skip
    rows = [
        (
            environment, agent.difficulty, metric.key, agent.name, agent.kind.value, agent.reasoning, agent.released,
            agent.measured[metric.key].percent, agent.measured[metric.key].n, agent.score, agent.runs,
        )
        for metric in parts_of(environment).metrics
        for agent in means
        if metric.key in agent.measured
    ]  # fmt: skip
    return Table("Metrics of runs and scores", names, rows)


def litmus_runs(records: Iterable[RunRecord]) -> Table:
    """One row for each run; scores are unrounded shares."""
    names = columns("run", "agent", "test", "seed", "litmus")
    rows = [(run.run_id, run.agent_name, run.environment, run.seed, run.score) for run in records]
    return Table("Litmus scores of single runs", names, rows)
