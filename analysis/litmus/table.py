"""The litmus table: agents by test, three scores each. Pure functions over plain records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.base.table import AGENT, Kind, TableRow, by_value, grouped, kind_of
from analysis.benchmark.published import PublishedLitmus
from analysis.litmus.scores import LitmusScores, litmus_scores, reported_weakness
from analysis.records import RunRecord
from analysis.statistics import Summary
from environments.registry import LITMUS_TESTS

KINDS = list(Kind)


@dataclass(frozen=True)
class LitmusRow(TableRow):
    """An agent or a market of two agents. `scores` are in the order of the tests, None without a run."""

    scores: tuple[LitmusScores | None, ...]


def litmus_table(runs: Iterable[RunRecord], published: Iterable[PublishedLitmus], sort: str = AGENT) -> list[LitmusRow]:
    """`sort` is "agent", by kind and name, or a score such as "patience_vs_impatience.litmus"; a minus means descending."""
    return sorted_rows([*_own_rows(runs), *_published_rows(published)], sort)


def _own_rows(runs: Iterable[RunRecord]) -> list[LitmusRow]:
    by_player = grouped(runs, lambda run: (run.agent_id, run.rival_id), lambda run: run.environment)
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
    by_llm = grouped(published, lambda score: score.llm, lambda score: score.test)
    return [
        LitmusRow(
            llm,
            Kind.PUBLISHED,
            None,
            "",
            tuple(_published_scores(by_test[test][0]) if test in by_test else None for test in LITMUS_TESTS),
        )
        for llm, by_test in by_llm.items()
    ]


def _published_scores(printed: PublishedLitmus) -> LitmusScores:
    hits, _, of = printed.converged.partition("/")
    return LitmusScores(
        test=printed.test,
        litmus=Summary(printed.litmus, None, 0, 0),
        competency=Summary(printed.competency, None, int(of or 0), int(of or 0), int(hits) if hits else None),
        reliability=printed.reliability,
        weak=reported_weakness(printed.competency, printed.reliability),
    )


def sorted_rows(rows: Iterable[LitmusRow], sort: str) -> list[LitmusRow]:
    """Rows in order; rows without the value come last."""
    key = sort.removeprefix("-")
    if key == AGENT:
        by_name = sorted(rows, key=lambda row: row.name.casefold(), reverse=sort != key)
        return sorted(by_name, key=lambda row: KINDS.index(row.kind))
    test, _, part = key.partition(".")
    place = LITMUS_TESTS.index(test)
    return by_value(rows, sort, lambda row: value_of(row.scores[place], part))


def value_of(scores: LitmusScores | None, part: str) -> float | None:
    """One of the three scores by name."""
    if scores is None:
        return None
    return {"litmus": scores.litmus.mean, "competency": scores.competency.mean, "reliability": scores.reliability}[part]
