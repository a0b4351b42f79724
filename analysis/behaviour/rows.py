"""The cells of the tables of the behaviour page."""

from collections.abc import Iterable, Iterator

from analysis.base.table import RunRecord
from analysis.behaviour.means import fit_rows, reasoning_tests
from analysis.behaviour.pairs import POOLED
from analysis.behaviour.selectors import EnvironmentData
from stats.pairwise import Welch


def pairs(environments: Iterable[EnvironmentData]) -> Iterator[tuple[object, ...]]:
    for each in environments:
        for pair in each.grid.pairs:
            agree, significant = pair.consistency()
            for key, test in pair.tests.items():
                counts = (significant, agree) if key == POOLED else (None, None)
                yield (
                    each.name, key or "all", pair.first.name, pair.second.name, test.n, test.zeros,
                    test.difference, test.effect, test.p, test.adjusted_p, test.stars, *counts,
                )  # fmt: skip


def changes(environments: Iterable[EnvironmentData]) -> Iterator[tuple[object, ...]]:
    for each in environments:
        for change in each.grid.changes:
            yield each.name, change.player.name, *_welch(change.test)


def reasoning(environments: Iterable[EnvironmentData]) -> Iterator[tuple[object, ...]]:
    for each in environments:
        for row in reasoning_tests(each.means, each.metrics, each.narrowed.difficulties):
            yield each.name, row.metric.key, row.difficulty, *_welch(row.test)


def metric_tests(environments: Iterable[EnvironmentData]) -> Iterator[tuple[object, ...]]:
    for each in environments:
        for row in each.metric_tests:
            yield each.name, row.metric.key, row.difficulty, row.first, row.second, *_welch(row.test)


def lines(environments: Iterable[EnvironmentData]) -> Iterator[tuple[object, ...]]:
    for each in environments:
        for row in fit_rows(each.means, each.metrics, each.narrowed.difficulties):
            line = row.line
            numbers = (None,) * 4 if isinstance(line, str) else (line.slope, line.r_squared, line.p, line.n)
            yield each.name, row.metric, row.of, row.difficulty, *numbers, line if isinstance(line, str) else None


def _welch(test: Welch | str) -> tuple[object, ...]:
    """Percent or points. A row without a test has a sentence instead."""
    if isinstance(test, str):
        return (*(None,) * 8, test)
    means = (test.first_mean, test.first_n, test.second_mean, test.second_n)
    return (*means, test.t, test.degrees, test.p, test.adjusted_p, None)


def metrics(environments: Iterable[EnvironmentData]) -> Iterator[tuple[object, ...]]:
    for each in environments:
        for metric in each.metrics:
            for agent in each.means:
                if measured := agent.measured.get(metric.key):
                    yield (
                        each.name, agent.difficulty, metric.key, agent.name, agent.kind.value, agent.reasoning,
                        agent.released, measured.percent, measured.n, agent.score, agent.runs,
                    )  # fmt: skip


def litmus_runs(records: Iterable[RunRecord]) -> Iterator[tuple[object, ...]]:
    for run in records:
        yield run.run_id, run.agent_name, run.environment, run.seed, run.score
