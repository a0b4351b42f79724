"""The litmus table: a row for each agent or market, with its scores in each test. Pure functions over records."""

from collections.abc import Iterable
from dataclasses import dataclass

from analysis.base.published import PublishedLitmus
from analysis.base.table import AGENT, Kind, RunRecord, TableRow, by_value, grouped
from analysis.litmus.scores import LitmusScores, litmus_scores, reported_scores
from environments.registry import LITMUS_TESTS

KINDS = list(Kind)


@dataclass(frozen=True)
class LitmusRow(TableRow):
    """An agent or a market of two agents, under the paper's prompts or under the own prompts of one slug.

    scores: in the order of the tests, None without a run
    """

    scores: tuple[LitmusScores | None, ...]
    is_market: bool = False

    @property
    def has_scores(self) -> bool:
        return not self.is_market and any(scores is not None and scores.has_score for scores in self.scores)


def litmus_table(runs: Iterable[RunRecord], published: Iterable[PublishedLitmus], sort: str = AGENT) -> list[LitmusRow]:
    """Build the rows of the table.

    sort: "agent" for kind and name, or a score such as "patience_vs_impatience.litmus"; a minus means descending
    """
    rows = []
    by_row = grouped(runs, lambda run: (run.agent_id, run.rival_id, run.own_prompt), lambda run: run.environment)
    for (agent_id, rival_id, own_prompt), by_test in by_row.items():
        run = next(iter(by_test.values()))[0]
        scores = tuple(litmus_scores(test, by_test[test]) if test in by_test else None for test in LITMUS_TESTS)
        is_market = rival_id is not None
        rows.append(LitmusRow(run.player, run.kind, agent_id, run.agent_slug, scores, is_market, own_prompt=own_prompt))
    for llm, printed in grouped(published, lambda score: score.llm, lambda score: score.test).items():
        scores = tuple(reported_scores(printed[test][0]) if test in printed else None for test in LITMUS_TESTS)
        rows.append(LitmusRow(llm, Kind.PUBLISHED, None, "", scores))
    return sorted_rows(rows, sort)


def sorted_rows(rows: Iterable[LitmusRow], sort: str) -> list[LitmusRow]:
    """Sort rows; rows without the value come last."""
    key = sort.removeprefix("-")
    if key == AGENT:
        by_name = sorted(rows, key=lambda row: row.name.casefold(), reverse=sort != key)
        return sorted(by_name, key=lambda row: KINDS.index(row.kind))
    test, _, part = key.partition(".")
    index = LITMUS_TESTS.index(test)
    return by_value(rows, sort, lambda row: scores.value(part) if (scores := row.scores[index]) else None)
