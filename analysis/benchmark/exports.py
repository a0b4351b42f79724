"""Tables and the data behind figures as files: CSV and LaTeX. Pure functions from tables to text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from analysis.benchmark.filters import environment_title
from analysis.benchmark.page import BenchmarkTable, Kind
from analysis.records import RunRecord
from analysis.statistics import Summary
from infrastructure.text.csv_cells import csv_cell

TABLE_HEAD = (
    "agent", "row", "environment", "difficulty", "mean_score", "standard_error",
    "instances_scored", "instances_started", "instances_solved",
)  # fmt: skip
RUN_HEAD = ("run", "agent", "environment", "difficulty", "seed", "state", "score", "solved")
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


def table_csv(table: BenchmarkTable) -> str:
    """One line a cell, scores as unrounded shares."""
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
    """The runs behind a figure, scores as unrounded shares."""
    return as_csv(
        RUN_HEAD,
        ((r.run_id, r.agent_name, r.environment, r.difficulty, r.seed, r.state, r.score, r.solved) for r in records),
    )


def table_latex(table: BenchmarkTable) -> str:
    """A booktabs table with scores in points of 100, solved counts or standard errors in small print."""
    groups = table.groups
    heads, rules, place = [], [], 2
    for environment, count in groups:
        heads.append(rf"\multicolumn{{{count}}}{{c}}{{{latex(environment_title(environment))}}}")
        rules.append(rf"\cmidrule(lr){{{place}-{place + count - 1}}}")
        place += count
    lines = [
        rf"\begin{{tabular}}{{l{'r' * len(table.columns)}}}",
        r"\toprule",
        " & ".join(["", *heads]) + r" \\",
        " ".join(rules),
        " & ".join(["Agent", *(latex(column.difficulty) for column in table.columns)]) + r" \\",
        r"\midrule",
        *(" & ".join([_latex_name(row.name, row.kind), *map(_latex_cell, row.cells)]) + r" \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    return "\n".join(lines) + "\n"


def _latex_name(name: str, kind: Kind) -> str:
    return latex(name) if kind == Kind.OWN else f"{latex(name)} ({kind.value})"


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
