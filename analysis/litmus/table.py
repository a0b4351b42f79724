"""The litmus table: agents by test, three scores each. Pure functions over plain records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.benchmark.page import AGENT, Kind, kind_of
from analysis.benchmark.published import PublishedLitmus
from analysis.litmus.scores import LitmusRun, LitmusScores, litmus_scores, reported_weakness
from analysis.statistics import Summary
from environments.registry import LITMUS_TESTS

KINDS = list(Kind)


@dataclass(frozen=True)
class LitmusRow:
    """One agent, or two in a market of different ones. `scores` are in the order of the tests, None without a run."""

    name: str
    kind: Kind
    agent_id: int | None
    agent_slug: str
    scores: tuple[LitmusScores | None, ...]


def litmus_table(runs: Iterable[LitmusRun], published: Iterable[PublishedLitmus], sort: str = AGENT) -> list[LitmusRow]:
    """`sort` is "agent", which keeps own rows, baselines and published ones apart, or a test and one of its scores such as
    "patience_vs_impatience.litmus", with a minus for descending.
    """
    return sorted_rows([*_own_rows(runs), *_published_rows(published)], sort)


def _own_rows(runs: Iterable[LitmusRun]) -> list[LitmusRow]:
    by_player: dict[tuple[int, int | None], dict[str, list[LitmusRun]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        by_player[run.agent_id, run.rival_id][run.environment].append(run)
    rows = []
    for by_test in by_player.values():
        one = next(iter(by_test.values()))[0]
        rows.append(
            LitmusRow(
                name=one.player,
                kind=kind_of(one),
                agent_id=one.agent_id,
                agent_slug=one.agent_slug,
                scores=tuple(litmus_scores(test, by_test[test]) if test in by_test else None for test in LITMUS_TESTS),
            )
        )
    return rows


def _published_rows(published: Iterable[PublishedLitmus]) -> list[LitmusRow]:
    by_llm: dict[str, dict[str, LitmusScores]] = defaultdict(dict)
    for score in published:
        hits = int(score.converged.split("/")[0]) if score.converged else None
        of = int(score.converged.split("/")[1]) if score.converged else 0
        by_llm[score.llm][score.test] = LitmusScores(
            test=score.test,
            litmus=Summary(score.litmus, None, 0, 0),
            competency=Summary(score.competency, None, of, of, hits),
            reliability=score.reliability,
            weak=reported_weakness(score.competency, score.reliability),
        )
    return [
        LitmusRow(llm, Kind.PUBLISHED, None, "", tuple(scores.get(test) for test in LITMUS_TESTS))
        for llm, scores in by_llm.items()
    ]


def sorted_rows(rows: Iterable[LitmusRow], sort: str) -> list[LitmusRow]:
    """Rows in order; those without the value come last."""
    key, descending = sort.removeprefix("-"), sort.startswith("-")
    by_name = sorted(rows, key=lambda row: row.name.casefold(), reverse=descending and key == AGENT)
    if key == AGENT:
        return sorted(by_name, key=lambda row: KINDS.index(row.kind))
    test, _, part = key.partition(".")
    place = LITMUS_TESTS.index(test)

    def order(row: LitmusRow) -> tuple[bool, float]:
        value = value_of(row.scores[place], part)
        return value is None, (value or 0.0) * (-1 if descending else 1)

    return sorted(by_name, key=order)


def value_of(scores: LitmusScores | None, part: str) -> float | None:
    """One of the three scores by name."""
    if scores is None:
        return None
    return {"litmus": scores.litmus.mean, "competency": scores.competency.mean, "reliability": scores.reliability}[part]


def litmus_csv_rows(rows: Sequence[LitmusRow]) -> list[tuple[object, ...]]:
    """One line an agent and test, unrounded; rates are shares a year."""
    return [
        (
            row.name, row.kind.value, scores.test,
            scores.litmus.mean, scores.litmus.standard_error, scores.litmus.n, scores.litmus.of,
            scores.competency.mean, scores.competency.n, scores.competency.of, scores.reliability, scores.weak,
        )
        for row in rows
        for scores in row.scores
        if scores is not None
    ]  # fmt: skip


CSV_HEAD = (
    "agent", "row", "test", "litmus", "litmus_standard_error", "litmus_runs_scored", "litmus_runs_launched",
    "competency", "competency_runs_scored", "competency_runs_launched", "reliability", "weak_because",
)  # fmt: skip
