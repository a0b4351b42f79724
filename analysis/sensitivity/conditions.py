"""Scores of agents under several prompts and numbers of periods, against one condition. Pure functions over scores."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev
from typing import NamedTuple

from analysis.base.table import BenchmarkColumn, TableRow
from environments.prompts.variants import prompt_title
from infrastructure.text.formats import counted, p_text
from infrastructure.text.tables import printed
from stats.means import LEVEL, Interval, mean_interval
from stats.paired import WILCOXON_FROM, Paired, holm, paired
from stats.summaries import pooled_deviation


class Condition(NamedTuple):
    """The prompt variant and the number of periods of a run."""

    variant: str
    periods: int

    @property
    def label(self) -> str:
        return f"{prompt_title(self.variant)}, {self.periods:,} periods"

    def against(self, main: "Condition") -> str:
        """Such as 'with 50 periods than with 100', after 'more' or 'less'."""
        if self.periods != main.periods:
            return f"with {self.periods:,} periods than with {main.periods:,}"
        return f"under the prompt {prompt_title(self.variant)} than under {prompt_title(main.variant)}"


class ScoredRun(NamedTuple):
    """A finished run. score: a share"""

    agent_id: int
    column: BenchmarkColumn
    condition: Condition
    instance_id: int
    score: float


@dataclass(frozen=True)
class ConditionScores:
    """One agent in one column under one condition, in points.

    scores: one for each instance, the mean of its runs
    interval: of the mean over instances; seeds: standard deviation between instances, None for fewer than two
    repeats: standard deviation between runs of the same instance, pooled over instances; None without a repeated run
    against: the differences from the same agent's scores under the main condition, by instance; None for that condition
    """

    agent: TableRow
    column: BenchmarkColumn
    condition: Condition
    runs: int
    scores: Sequence[float]
    interval: Interval | None
    repeats: float | None
    against: Paired | None
    adjusted_p: float | None = None

    @property
    def mean(self) -> float:
        return fmean(self.scores)

    @property
    def seeds(self) -> float | None:
        return stdev(self.scores) if len(self.scores) > 1 else None

    @property
    def is_decided(self) -> bool:
        return self.adjusted_p is not None and self.adjusted_p < LEVEL


@dataclass(frozen=True)
class Sensitivity:
    """The answer. main: the condition that others are compared with; left_out: agents beyond the most that are shown"""

    rows: Sequence[ConditionScores]
    main: Condition
    left_out: int = 0


def condition_scores(
    runs: Iterable[ScoredRun],
    agents: Sequence[TableRow],
    columns: Sequence[BenchmarkColumn],
    main: Condition,
) -> list[ConditionScores]:
    """Rows by column, condition (the main one first, then prompts, then lengths) and agent, with adjusted p values."""
    groups: dict[tuple[BenchmarkColumn, Condition, int], dict[int, list[float]]] = defaultdict(dict)
    for run in runs:
        by_instance = groups[run.column, run.condition, run.agent_id]
        by_instance.setdefault(run.instance_id, []).append(100 * run.score)
    order = [agent.agent_id for agent in agents]

    def key(group: tuple[BenchmarkColumn, Condition, int]) -> tuple[object, ...]:
        column, condition, agent = group
        return (
            columns.index(column),
            condition != main,
            condition.periods != main.periods,
            condition,
            order.index(agent),
        )

    ordered = sorted(groups, key=key)
    tests = [
        paired(_differences(groups.get((column, main, agent), {}), groups[column, condition, agent]))
        if condition != main
        else None
        for column, condition, agent in ordered
    ]
    adjusted = iter(holm([test.p for test in tests if test and test.p is not None]))
    return [
        _row(
            agents[order.index(agent)], column, condition, groups[column, condition, agent], test,
            next(adjusted) if test and test.p is not None else None,
        )
        for (column, condition, agent), test in zip(ordered, tests, strict=True)
    ]  # fmt: skip


def _differences(main: Mapping[int, list[float]], other: Mapping[int, list[float]]) -> list[float]:
    return [fmean(other[instance]) - fmean(main[instance]) for instance in sorted(main.keys() & other.keys())]


def _row(
    agent: TableRow,
    column: BenchmarkColumn,
    condition: Condition,
    by_instance: Mapping[int, list[float]],
    against: Paired | None,
    adjusted_p: float | None,
) -> ConditionScores:
    scores = [fmean(values) for values in by_instance.values()]
    ends = mean_interval([score / 100 for score in scores])
    return ConditionScores(
        agent=agent,
        column=column,
        condition=condition,
        runs=sum(map(len, by_instance.values())),
        scores=scores,
        interval=None if ends is None else (100 * ends[0], 100 * ends[1]),
        repeats=pooled_deviation(list(by_instance.values())),
        against=against,
        adjusted_p=adjusted_p,
    )


def sentences(result: Sensitivity) -> list[str]:
    """The differences from the main condition, the largest first."""
    compared = [(row, row.against) for row in result.rows if row.against is not None and row.against.n]
    differing = [(row, test) for row, test in compared if test.zeros < test.n]
    differing.sort(key=lambda pair: -abs(pair[1].difference or 0.0))
    texts = [_sentence(row, test, result.main) for row, test in differing]
    if same := len(compared) - len(differing):
        texts.append(
            f"{counted(same, 'other condition has,other conditions have')} the same score as {result.main.label} on every "
            "common instance."
        )
    if not result.rows:
        return ["No run that fits these filters has finished."]
    if not texts:
        texts = [f"No agent has finished an instance both under {result.main.label} and under another condition."]
    if result.left_out:
        texts.append(f"{counted(result.left_out, 'agent is,agents are')} left out; choose agents in the filters.")
    return texts


def _sentence(row: ConditionScores, test: Paired, main: Condition) -> str:
    start = f"{row.column.title}: {row.agent.full_name} scores"
    difference = test.difference or 0.0
    ends = [printed(end, 1) for end in test.interval or ()]
    interval = f"95 % interval {' to '.join(ends)}, " if ends else ""
    if row.is_decided:
        verdict = "evidence of a difference."
    elif test.n - test.zeros < WILCOXON_FROM:
        verdict = f"too few instances for a verdict; it takes {WILCOXON_FROM} on which they differ."
    else:
        verdict = "no evidence of a difference."
    return (
        f"{start} {abs(difference):.1f} points {'more' if difference > 0 else 'less'} {row.condition.against(main)} "
        f"({interval}{p_text(test.p)}, Holm {p_text(row.adjusted_p)}, {counted(test.n, 'instance,instances')}): {verdict}"
    )
