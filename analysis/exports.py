"""The tables of leaderboards, comparisons, trends and agents as records, for files and reports."""

import json
from collections.abc import Iterable, Mapping, Sequence

from analysis.agent_page.history import HistoryRow
from analysis.base.benchmark_filters import environment_title
from analysis.base.table import Kind, RunRecord, TableRow
from analysis.benchmark.table import BenchmarkTable
from analysis.comparing.comparison import Comparison
from analysis.run_comparison.sentences import Parting, player
from analysis.trends.selectors import ColumnTrends
from environments.base import Outcome
from environments.prompts.variants import texts_label
from infrastructure.money import usd
from infrastructure.text.formats import precision, score
from infrastructure.text.tables import Column, Printed, Table
from runs.findings.selectors import AgentFindings
from runs.models import Agent, Run
from stats.regression import ModelScores, Trend
from stats.summaries import Summary

POINTS = "points"


def columns(*names: str) -> list[Column]:
    return [Column(name) for name in names]


def benchmark_cells(table: BenchmarkTable) -> Table:
    """One row for each cell; scores are unrounded shares."""
    names = columns(
        "agent", "row", "environment", "difficulty", "mean_score", "standard_error",
        "instances_scored", "instances_started", "instances_solved",
        "interval_low", "interval_high", "rank_best", "rank_worst", "own_prompt",
    )  # fmt: skip
    rows = [
        (
            row.name, row.kind.value, column.environment, column.difficulty,
            cell.mean, cell.standard_error, cell.n, cell.of, cell.solved,
            *(cell.interval or (None, None)), *(row.ranks or (None, None)), row.own_prompt,
        )
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
        if cell is not None
    ]  # fmt: skip
    return Table("Mean scores by agent", names, rows)


def benchmark_print(table: BenchmarkTable) -> Table:
    """The table as the page shows it.

    Scores are in points of 100, with intervals or standard errors and solved counts in small print.
    """
    heads = [
        Column(column.key, column.difficulty, group=environment_title(column.environment)) for column in table.columns
    ]
    rows = [(row_name(row), *map(_printed_score, row.cells)) for row in table.rows]
    return Table("Mean scores by agent, points", [Column("agent", "Agent"), *heads], rows)


def row_name(row: TableRow) -> str:
    name = row.name if row.kind == Kind.OWN else f"{row.name} ({row.kind.value})"
    return f"{name}, {texts_label(row.own_prompt)}" if row.own_prompt else name


def _printed_score(cell: Summary | None) -> Printed | None:
    if cell is None or cell.mean is None:
        return None
    solved = "" if cell.solved is None else f"{cell.solved}/{cell.n}"
    return Printed(score(cell.mean), ", ".join(filter(None, [precision(cell), solved])))


def benchmark_runs(records: Iterable[RunRecord]) -> Table:
    """The runs behind a figure; scores are unrounded shares."""
    names = columns("run", "agent", "environment", "difficulty", "seed", "state", "score", "solved")
    rows = [(r.run_id, r.agent_name, r.environment, r.difficulty, r.seed, r.state, r.score, r.solved) for r in records]
    return Table("Runs", names, rows)


def comparison_numbers(comparisons: Iterable[Comparison]) -> Table:
    """One row for each comparison."""
    names = [
        *columns("environment", "first", "second", "instances"),
        Column("difference", unit=POINTS, digits=1),
        Column("low", "95 % interval from", POINTS, digits=1),
        Column("high", "to", POINTS, digits=1),
        Column("p", digits=3),
        Column("p_holm", "p, Holm", digits=3),
        Column("p_wilcoxon", "p, Wilcoxon", digits=3),
        Column("detectable", unit=POINTS, digits=1),
        Column("added", "launched after a look"),
    ]
    rows = [
        (
            comparison.environment, comparison.agents.first, comparison.agents.second,
            comparison.paired.n, comparison.paired.difference, *(comparison.paired.interval or (None, None)),
            comparison.paired.p, comparison.adjusted_p, comparison.paired.wilcoxon_p,
            comparison.paired.detectable, comparison.added,
        )
        for comparison in comparisons
    ]  # fmt: skip
    return Table("Differences of the second agent from the first", names, rows)


def comparison_pairs(comparisons: Iterable[Comparison]) -> Table:
    """One row for each instance of a comparison. A score is empty if that agent has no finished run."""
    names = [
        *columns("environment", "first", "second", "difficulty", "seed"),
        *(Column(name, unit=POINTS, digits=1) for name in ("first_score", "second_score", "difference")),
    ]
    rows = [
        (
            comparison.environment, comparison.agents.first, comparison.agents.second, match.difficulty, match.seed,
            match.first and match.first.score, match.second and match.second.score,
            match.difference if match.is_pair else None,
        )
        for comparison in comparisons
        for match in comparison.matches
    ]  # fmt: skip
    return Table("Scores by instance", names, rows)


def run_periods(runs: Iterable[Run], outcomes: Mapping[int, Sequence[Outcome]], parting: Parting) -> Table:
    """One row for each period of each run. The quality is an unrounded share; action and result are JSON."""
    names = columns("run", "agent", "variant", "period", "runs_differ", "quality", "action", "result")
    parted = set(parting.parted)
    rows = [
        (
            run.pk, player(run), run.variant, outcome.period, outcome.period in parted, outcome.quality,
            json.dumps(outcome.action), json.dumps(outcome.result),
        )
        for run in runs
        for outcome in outcomes[run.pk]
    ]  # fmt: skip
    return Table("Periods of the compared runs", names, rows)


def trend_slopes(trends: Iterable[ColumnTrends]) -> Table:
    """One row for each fitted line. Lines that could not be fitted are left out."""
    names = [
        *columns("environment", "difficulty", "source"),
        Column("slope", unit="points a year", digits=1),
        Column("standard_error", unit="points a year", digits=1),
        Column("p", digits=3),
        Column("r_squared", "R²"),
        *columns("observations", "models"),
    ]
    rows = [
        (
            column_trends.column.environment, column_trends.column.difficulty, source,
            line.slope, line.standard_error, line.p, line.r_squared, line.n, line.models,
        )
        for column_trends in trends
        for source, line in (("own", column_trends.own_trend), ("published", column_trends.paper_trend))
        if isinstance(line, Trend)
    ]  # fmt: skip
    return Table("Scores by release date of the model", names, rows)


def _model_runs(model: ModelScores) -> list[tuple[int | None, float]]:
    """(run id, score) pairs sorted by id; for a published mean, one pair with None as the id."""
    if model.run_ids is None:
        return [(None, float(model.scores[0]))]
    return sorted(zip(model.run_ids.tolist(), model.scores.tolist(), strict=True))


def trend_observations(trends: Iterable[ColumnTrends]) -> Table:
    """One row for each observation; published means have no run."""
    names = [
        *columns("environment", "difficulty", "source", "model", "released"),
        Column("score", unit=POINTS, digits=1),
        Column("run"),
    ]
    rows = [
        (
            column_trends.column.environment,
            column_trends.column.difficulty,
            source,
            model.name,
            model.released,
            score,
            run_id,
        )
        for column_trends in trends
        for source, models in (("own", column_trends.own), ("published", column_trends.paper))
        for model in models
        for run_id, score in _model_runs(model)
    ]
    return Table("Observations", names, rows)


def history(rows: Iterable[tuple[Agent, HistoryRow]]) -> Table:
    """One row for each agent and conditions; scores are unrounded shares, the cost is that of all runs."""
    names = [
        *columns("agent", "environment", "difficulty", "variant", "periods", "generator", "imported", "rival"),
        *columns("instances", "runs", "mean", "interval_low", "interval_high", "standard_error", "solved"),
        Column("cost", unit="$", digits=4),
    ]
    records = [
        (
            agent.name, *vars(row.conditions).values(), row.sums.instances, row.sums.runs, row.sums.mean,
            *(row.interval or (None, None)), row.sums.standard_error, row.sums.solved,
            usd(row.sums.cost_nano) if row.cost_is_known else None,
        )
        for agent, row in rows
    ]  # fmt: skip
    return Table("Scores of agents by environment", names, records)


def findings(agents: Iterable[AgentFindings]) -> Table:
    """One row for each agent and rule.

    It has the number of finished runs that the rule applies to, and the number in which it found something.
    """
    names = [
        *columns("agent", "rule", "finding", "mistake", "runs_with_it", "runs"),
        Column("share", unit="%", digits=0),
    ]
    rows = [
        (
            agent.name,
            share.key,
            share.rule.title,
            share.rule.is_problem,
            share.runs,
            share.of,
            100 * share.runs / share.of,
        )
        for agent in agents
        for share in agent.shares
        if share.of
    ]
    return Table("Findings by agent", names, rows)
