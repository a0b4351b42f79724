"""The litmus table: agents by test, three scores each. Pure functions over plain records."""

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.base.table import AGENT, Kind, RunRecord, TableRow, by_value, grouped
from analysis.benchmark.published import PublishedLitmus
from analysis.litmus.scores import LitmusScores, litmus_scores, reported_scores
from environments.registry import LITMUS_TESTS

KINDS = list(Kind)


@dataclass(frozen=True)
class LitmusRow(TableRow):
    """An agent or a market of two agents, under the paper's prompts or those of one slug. `scores` are in the order of the
    tests, None without a run."""

    scores: tuple[LitmusScores | None, ...]
    is_market: bool = False

    @property
    def has_scores(self) -> bool:
        return not self.is_market and any(scores is not None and scores.has_score for scores in self.scores)


def litmus_table(runs: Iterable[RunRecord], published: Iterable[PublishedLitmus], sort: str = AGENT) -> list[LitmusRow]:
    """`sort` is "agent", by kind and name, or a score such as "patience_vs_impatience.litmus"; a minus means descending."""
    rows = []
    row_of = lambda run: (run.agent_id, run.rival_id, run.own_prompt)  # noqa: E731
    for by_test in grouped(runs, row_of, lambda run: run.environment).values():
        run = next(iter(by_test.values()))[0]
        scores = tuple(litmus_scores(test, by_test[test]) if test in by_test else None for test in LITMUS_TESTS)
        who = (run.player, run.kind, run.agent_id, run.agent_slug)
        is_market = run.rival_id is not None
        rows.append(LitmusRow(*who, scores, is_market=is_market, own_prompt=run.own_prompt))
    for llm, printed in grouped(published, lambda score: score.llm, lambda score: score.test).items():
        scores = tuple(reported_scores(printed[test][0]) if test in printed else None for test in LITMUS_TESTS)
        rows.append(LitmusRow(llm, Kind.PUBLISHED, None, "", scores))
    return sorted_rows(rows, sort)


def sorted_rows(rows: Iterable[LitmusRow], sort: str) -> list[LitmusRow]:
    """Rows in order; rows without the value come last."""
    key = sort.removeprefix("-")
    if key == AGENT:
        by_name = sorted(rows, key=lambda row: row.name.casefold(), reverse=sort != key)
        return sorted(by_name, key=lambda row: KINDS.index(row.kind))
    test, _, part = key.partition(".")
    index = LITMUS_TESTS.index(test)

    def value(row: LitmusRow) -> float | None:
        scores = row.scores[index]
        return scores.value(part) if scores else None

    return by_value(rows, sort, value)
