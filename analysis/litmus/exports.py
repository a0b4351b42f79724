"""The tables of the litmus page as records, for files and reports."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from analysis.base.benchmark_filters import environment_title
from analysis.base.litmus_filters import PARTS
from analysis.base.table import RunRecord
from analysis.exports import columns, row_name
from analysis.litmus.leaderboard import row_cells
from analysis.litmus.name_tests import TestLine
from analysis.litmus.page import PARETO, AgentMeans, RateRow
from analysis.litmus.scores import LitmusRow, litmus_test_of
from environments.registry import LITMUS_TESTS
from infrastructure.text.tables import Column, Printed, Table


def litmus_cells(rows: Iterable[LitmusRow]) -> Table:
    """One row for each agent and test, unrounded. Rates are shares a year."""
    names = columns(
        "agent", "row", "test", "litmus", "litmus_standard_error", "litmus_runs_scored", "litmus_runs_launched",
        "competency", "competency_runs_scored", "competency_runs_launched", "reliability", "reliability_low",
        "reliability_high", "weak_because", "own_prompt",
    )  # fmt: skip
    lines = [
        (
            row.name, row.kind.value, scores.test,
            scores.litmus.mean, scores.litmus.standard_error, scores.litmus.n, scores.litmus.of,
            scores.competency.mean, scores.competency.n, scores.competency.of, scores.reliability,
            *(scores.steadiness or (None, None)), scores.weak, row.own_prompt,
        )
        for row in rows
        for scores in row.scores
        if scores is not None
    ]  # fmt: skip
    return Table("Litmus scores by agent", names, lines)


def litmus_print(rows: Sequence[LitmusRow]) -> Table:
    """The table as the page shows it: three scores for each test that has a score."""
    indices = [index for index in range(len(LITMUS_TESTS)) if any(row.scores[index] for row in rows)]
    tests = [LITMUS_TESTS[index] for index in indices]
    heads = [
        Column(
            f"{test}.{part}", litmus_test_of(test).column if part == "litmus" else part, group=environment_title(test)
        )
        for test in tests
        for part in PARTS
    ]
    lines = [
        (
            row_name(row),
            *(Printed(cell.text, cell.small) for index in indices for cell in row_cells(row, row.scores[index])),
        )
        for row in rows
    ]
    return Table("Litmus scores by agent", [Column("agent", "Agent"), *heads], lines)


def litmus_runs(records: Iterable[RunRecord]) -> Table:
    """The runs behind table and charts, with the metrics of the Pareto chart."""
    names = columns("run", "agent", "test", "variant", "seed", "state", "score", *PARETO)
    rows = [
        (r.run_id, r.player, r.environment, r.variant, r.seed, r.state, r.score, *(r.metrics[key] for key in PARETO))
        for r in records
    ]
    return Table("Litmus runs", names, rows)


def standings(means: Iterable[AgentMeans]) -> Table:
    """The table below the Pareto chart."""
    names = columns("agent", "runs", "litmus", "distance_from_line", "share_of_frontier")
    rows = [(row.agent, row.runs, row.litmus, row.distance, row.frontier_share) for row in means]
    return Table("Efficiency against equality", names, rows)


def rates(rows: Iterable[RateRow], horizons: Sequence[str]) -> Table:
    """The table below the choice curves: the best-fit yearly rates, each with its reliability in small print."""
    heads = [Column("agent"), Column("source"), *(Column(label, unit="rate a year") for label in horizons)]
    lines = [
        (agent, "published" if is_published else "own", *(Printed(*cell) for cell in cells))
        for agent, is_published, cells in rows
    ]
    return Table("Patience rates by horizon", heads, lines)


def name_tests(lines: Iterable[TestLine]) -> Table:
    """The table below the chart of names."""
    names = [
        *columns("compared", "effect", "statistic"),
        Column("p", digits=3),
        Column("p_holm", "p, Holm", digits=3),
        *columns("in_words"),
    ]
    rows = [(line.subject, line.effect, line.statistic, line.p, line.adjusted_p, line.verdict) for line in lines]
    return Table("Tests of users' names", names, rows)


PANELS: dict[str, Callable[[Any], Table]] = {
    "standings": lambda page: standings(page.means),
    "rates": lambda page: rates(page.rates, page.horizons),
    "name-tests": lambda page: name_tests(page.tests),
}
"""The small tables below the charts of the litmus page."""
