"""The benchmark table and its runs as CSV, the table also as LaTeX."""

from __future__ import annotations

from collections.abc import Iterable

from analysis.base.exports import as_csv
from analysis.base.table import Kind
from analysis.benchmark.filters import environment_title
from analysis.benchmark.table import BenchmarkTable
from analysis.records import RunRecord
from analysis.statistics import Summary

TABLE_HEAD = (
    "agent", "row", "environment", "difficulty", "mean_score", "standard_error",
    "instances_scored", "instances_started", "instances_solved",
)  # fmt: skip
RUN_HEAD = ("run", "agent", "environment", "difficulty", "seed", "state", "score", "solved")
LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
}  # fmt: skip


def table_csv(table: BenchmarkTable) -> str:
    """One line per cell; scores are unrounded shares."""
    return as_csv(
        TABLE_HEAD,
        (
            (
                row.name, row.kind.value, column.environment, column.difficulty,
                summary.mean, summary.standard_error, summary.n, summary.of, summary.solved,
            )
            for row in table.rows
            for column, summary in zip(table.columns, row.cells, strict=True)
            if summary is not None
        ),
    )  # fmt: skip


def runs_csv(records: Iterable[RunRecord]) -> str:
    """The runs behind a figure; scores are unrounded shares."""
    return as_csv(
        RUN_HEAD,
        ((r.run_id, r.agent_name, r.environment, r.difficulty, r.seed, r.state, r.score, r.solved) for r in records),
    )


def table_latex(table: BenchmarkTable) -> str:
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
        *(" & ".join([names[row], *map(_latex_cell, row.cells)]) + r" \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _latex_cell(summary: Summary | None) -> str:
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
