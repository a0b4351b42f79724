"""The tables and their runs as CSV, the benchmark table also as LaTeX."""

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence

from analysis.base.table import Kind, RunRecord
from analysis.benchmark.filters import environment_title
from analysis.benchmark.table import BenchmarkTable
from analysis.comparing.comparison import Comparison
from analysis.litmus.charts import PARETO
from analysis.litmus.table import LitmusRow
from analysis.run_comparison.parting import Parting
from analysis.run_comparison.sentences import player
from analysis.trends.selectors import ColumnTrends
from environments.base import Outcome
from infrastructure.text.csv_cells import csv_cell
from runs.models import Run
from stats.summaries import Summary

BENCHMARK_HEAD = (
    "agent", "row", "environment", "difficulty", "mean_score", "standard_error",
    "instances_scored", "instances_started", "instances_solved",
)  # fmt: skip
LITMUS_HEAD = (
    "agent", "row", "test", "litmus", "litmus_standard_error", "litmus_runs_scored", "litmus_runs_launched",
    "competency", "competency_runs_scored", "competency_runs_launched", "reliability", "weak_because",
)  # fmt: skip
LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def as_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows([csv_cell(value) for value in row] for row in rows)
    return text.getvalue()


def benchmark_csv(table: BenchmarkTable) -> str:
    """One line per cell; scores are unrounded shares."""
    rows = (
        (
            row.name, row.kind.value, column.environment, column.difficulty,
            cell.mean, cell.standard_error, cell.n, cell.of, cell.solved,
        )
        for row in table.rows
        for column, cell in zip(table.columns, row.cells, strict=True)
        if cell is not None
    )  # fmt: skip
    return as_csv(BENCHMARK_HEAD, rows)


def benchmark_runs_csv(records: Iterable[RunRecord]) -> str:
    """The runs behind a figure; scores are unrounded shares."""
    head = ("run", "agent", "environment", "difficulty", "seed", "state", "score", "solved")
    rows = ((r.run_id, r.agent_name, r.environment, r.difficulty, r.seed, r.state, r.score, r.solved) for r in records)
    return as_csv(head, rows)


def comparisons_csv(comparisons: Iterable[Comparison]) -> str:
    """One line for each instance of a comparison, in points; a score is empty where that agent has no finished run."""
    head = ("environment", "first", "second", "difficulty", "seed", "first_score", "second_score", "difference")
    rows = (
        (
            one.environment, one.agents.first, one.agents.second, match.difficulty, match.seed,
            match.first and match.first.score, match.second and match.second.score,
            match.difference if match.is_pair else None,
        )
        for one in comparisons
        for match in one.matches
    )  # fmt: skip
    return as_csv(head, rows)


def run_periods_csv(runs: Iterable[Run], outcomes: Mapping[int, Sequence[Outcome]], found: Parting) -> str:
    """One line for each period of each run; the quality is an unrounded share, action and result are JSON."""
    head = ("run", "agent", "variant", "period", "runs_differ", "quality", "action", "result")
    parted = set(found.parted)
    rows = (
        (
            run.pk, player(run), run.variant, outcome.period, outcome.period in parted, outcome.quality,
            json.dumps(outcome.action), json.dumps(outcome.result),
        )
        for run in runs
        for outcome in outcomes[run.pk]
    )  # fmt: skip
    return as_csv(head, rows)


def trends_csv(trends: Iterable[ColumnTrends]) -> str:
    """One line for each observation, in points; published means have no run."""
    head = ("environment", "difficulty", "source", "model", "released", "score", "run")
    rows = (
        (found.column.environment, found.column.difficulty, source, seen.model, seen.released, seen.score, seen.run_id)
        for found in trends
        for source, observations in (("own", found.own), ("published", found.paper))
        for seen in observations
    )
    return as_csv(head, rows)


def litmus_csv(rows: Iterable[LitmusRow]) -> str:
    """One line per agent and test, unrounded; rates are shares a year."""
    lines = (
        (
            row.name, row.kind.value, scores.test,
            scores.litmus.mean, scores.litmus.standard_error, scores.litmus.n, scores.litmus.of,
            scores.competency.mean, scores.competency.n, scores.competency.of, scores.reliability, scores.weak,
        )
        for row in rows
        for scores in row.scores
        if scores is not None
    )  # fmt: skip
    return as_csv(LITMUS_HEAD, lines)


def litmus_runs_csv(records: Iterable[RunRecord]) -> str:
    """The runs behind table and charts, with the metrics of the Pareto chart."""
    head = ("run", "agent", "test", "variant", "seed", "state", "score", *PARETO)
    rows = (
        (r.run_id, r.player, r.environment, r.variant, r.seed, r.state, r.score, *(r.metrics[key] for key in PARETO))
        for r in records
    )
    return as_csv(head, rows)


def benchmark_latex(table: BenchmarkTable) -> str:
    """A booktabs table: scores in points of 100, with solved counts or standard errors in small print."""
    heads, rules, place = [], [], 2
    for environment, count in table.groups:
        heads.append(rf"\multicolumn{{{count}}}{{c}}{{{latex(environment_title(environment))}}}")
        rules.append(rf"\cmidrule(lr){{{place}-{place + count - 1}}}")
        place += count
    names = {row: latex(row.name) + ("" if row.kind == Kind.OWN else f" ({row.kind.value})") for row in table.rows}
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(["", *heads]) + r" \\",
        " ".join(rules),
        " & ".join(["Agent", *(latex(column.difficulty) for column in table.columns)]) + r" \\",
        r"\midrule",
        *(" & ".join([names[row], *map(latex_cell, row.cells)]) + r" \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def latex_cell(summary: Summary | None) -> str:
    if summary is None or summary.mean is None:
        return "--"
    points = f"${summary.mean * 100:.1f}$"
    if summary.solved is not None:
        return rf"{points} {{\scriptsize {summary.solved}/{summary.n}}}"
    if summary.standard_error is not None:
        return rf"{points} {{\scriptsize $\pm$ {summary.standard_error * 100:.1f}}}"
    return points


def latex(text: str) -> str:
    return "".join(LATEX.get(letter, letter) for letter in text)
