"""Periods to the first optimal action, by agent, and the tests between agents. Pure functions over arrays."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from analysis.base.benchmark_filters import environment_title
from analysis.base.table import BenchmarkColumn, TableRow
from infrastructure.text.formats import counted, p_text
from infrastructure.text.tables import printed
from runs.selectors.cells import game_title
from stats.means import LEVEL, Interval, flip_interval, sign_flip_p
from stats.paired import WILCOXON_FROM, holm
from stats.times import median_time, restricted, restricted_interval, weights_of

MOST_COMPARED = 6
"""The most agents of an environment of which every two are compared: 15 pairs."""


@dataclass(frozen=True)
class RunTimes:
    """The finished runs of one agent in one column.

    instances: id of each run's instance; times: periods to its first optimal action, 0 if it never took one
    """

    agent_id: int
    column: BenchmarkColumn
    instances: NDArray[np.int64]
    times: NDArray[np.int64]
    is_imported: bool = False


@dataclass(frozen=True)
class TimesRow:
    """One agent in one column.

    weights: of the runs, with which every instance counts once
    solved: number of instances on which every run took an optimal action
    mean: in periods, a run without one counts as the length of the run; several runs of an instance count as their mean
    """

    agent: TableRow
    column: BenchmarkColumn
    times: NDArray[np.int64]
    weights: NDArray[np.float64]
    solved: int
    instances: int
    median: int | None
    mean: float
    interval: Interval | None

    @property
    def share(self) -> float:
        """The share of runs that took an optimal action."""
        return float(self.weights[self.times > 0].sum() / self.weights.sum())


@dataclass(frozen=True)
class TimesPair:
    """Two agents over the instances that both finished. The difference is the second's periods minus the first's."""

    environment: str
    first: str
    second: str
    n: int
    zeros: int
    difference: float
    interval: Interval | None
    p: float
    adjusted_p: float

    @property
    def is_decided(self) -> bool:
        return self.adjusted_p < LEVEL


@dataclass(frozen=True)
class Convergence:
    """The answer.

    length: number of periods of all runs; events: what the first optimal action is, by environment
    left_out: environments with more agents than are compared with each other
    """

    rows: Sequence[TimesRow]
    pairs: Sequence[TimesPair]
    events: Mapping[str, str]
    length: int
    left_out: Sequence[str] = ()


def convergence(
    runs: Sequence[RunTimes],
    agents: Sequence[TableRow],
    columns: Sequence[BenchmarkColumn],
    events: Mapping[str, str],
    length: int,
) -> Convergence:
    """Rows by column, the fastest agent first, and the tests of every two agents in each environment."""
    by_id = {agent.agent_id: agent for agent in agents}
    rows = [_row(each, by_id[each.agent_id], length) for each in runs if len(each.times)]
    rows.sort(key=lambda row: (columns.index(row.column), row.mean))
    pairs, left_out = [], []
    for environment in events:
        here = [each for each in runs if each.column.environment == environment and len(each.times)]
        if len({each.agent_id for each in here}) > MOST_COMPARED:
            left_out.append(environment)
        else:
            pairs += _pairs(environment, here, by_id, length)
    return Convergence(rows, pairs, events, length, left_out)


def _row(runs: RunTimes, agent: TableRow, length: int) -> TimesRow:
    means = list(_means(runs, length).values())
    weights = weights_of(runs.instances)
    return TimesRow(
        agent=agent,
        column=runs.column,
        times=runs.times,
        weights=weights,
        solved=len(means) - len(np.unique(runs.instances[runs.times == 0])),
        instances=len(means),
        median=median_time(runs.times, weights, length),
        mean=float(np.mean(means)),
        interval=restricted_interval(means, length),
    )


def _means(runs: RunTimes, length: int) -> dict[int, float]:
    """The mean restricted time of the runs on each instance, by the instance's id."""
    ids, index = np.unique(runs.instances, return_inverse=True)
    means = np.bincount(index, restricted(runs.times, length)) / np.bincount(index)
    return dict(zip(ids.tolist(), means.tolist(), strict=True))


def _pairs(
    environment: str, runs: Sequence[RunTimes], agents: Mapping[int | None, TableRow], length: int
) -> list[TimesPair]:
    means: dict[int, dict[int, float]] = {}
    for each in runs:
        means.setdefault(each.agent_id, {}).update(_means(each, length))
    tests = []
    for first, second in combinations(means, 2):
        common = sorted(means[first].keys() & means[second].keys())
        if common:
            differences = np.array([means[second][instance] - means[first][instance] for instance in common])
            tests.append((first, second, differences, sign_flip_p(differences)))
    adjusted = holm([p for *_, p in tests])
    return [
        TimesPair(
            environment, agents[first].full_name, agents[second].full_name,
            len(d), int((d == 0).sum()), float(d.mean()), flip_interval(d), p, adjusted_p,
        )
        for (first, second, d, p), adjusted_p in zip(tests, adjusted, strict=True)
    ]  # fmt: skip


def sentences(result: Convergence) -> list[str]:
    """The fastest agent of each column, and the tests between agents."""
    texts = []
    for environment, event in result.events.items():
        rows = [row for row in result.rows if row.column.environment == environment]
        for difficulty in dict.fromkeys(row.column.difficulty for row in rows):
            fastest = next(row for row in rows if row.column.difficulty == difficulty)
            texts.append(f"{game_title(environment, difficulty)}: {_fastest(fastest, event, result.length)}")
        if environment in result.left_out:
            texts.append(f"Choose at most {MOST_COMPARED} agents to compare every two of them.")
        pairs = [pair for pair in result.pairs if pair.environment == environment]
        decided = [pair for pair in pairs if pair.is_decided]
        texts += map(_pair_sentence, decided)
        if others := len(pairs) - len(decided):
            texts.append(
                f"{environment_title(environment)}: no evidence of a difference in {_of_pairs(others, pairs)}."
            )
    return texts or ["No run that fits these filters has finished an environment with an optimal action to reach."]


def _fastest(row: TimesRow, event: str, length: int) -> str:
    if not row.times.any():
        return f"no run has a {event}."
    return (
        f"{row.agent.full_name} is the fastest. Its {event} comes after {row.mean:.1f} periods on average; "
        f"{row.solved:,} of {counted(row.instances, 'instance,instances')} solved. A run without it counts as {length:,} "
        "periods."
    )


def _of_pairs(number: int, pairs: Sequence[TimesPair]) -> str:
    """The number of undecided pairs in words, and how many of them have too few instances for any verdict."""
    few = sum(not pair.is_decided and pair.n - pair.zeros < WILCOXON_FROM for pair in pairs)
    reason = f"; {few:,} of them differ on fewer than {WILCOXON_FROM} instances, too few for a verdict" if few else ""
    return f"{number:,} of {counted(len(pairs), 'pair,pairs')} of agents{reason}"


def _pair_sentence(pair: TimesPair) -> str:
    ends = [printed(end, 1) for end in pair.interval or ()]
    interval = f"95 % interval {' to '.join(ends)}, " if ends else ""
    return (
        f"{environment_title(pair.environment)}: {pair.second} takes {abs(pair.difference):.1f} periods "
        f"{'more' if pair.difference > 0 else 'fewer'} than {pair.first} ({interval}{p_text(pair.p)}, Holm "
        f"{p_text(pair.adjusted_p)}, {counted(pair.n, 'instance,instances')}): evidence of a difference."
    )
