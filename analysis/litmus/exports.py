"""The litmus table and its runs as CSV."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analysis.base.exports import as_csv
from analysis.litmus.charts import PARETO
from analysis.litmus.table import LitmusRow
from analysis.records import RunRecord

TABLE_HEAD = (
    "agent", "row", "test", "litmus", "litmus_standard_error", "litmus_runs_scored", "litmus_runs_launched",
    "competency", "competency_runs_scored", "competency_runs_launched", "reliability", "weak_because",
)  # fmt: skip
RUN_HEAD = ("run", "agent", "test", "variant", "seed", "state", "score", *PARETO)


def table_csv(rows: Sequence[LitmusRow]) -> str:
    """One line per agent and test, unrounded; rates are shares a year."""
    return as_csv(
        TABLE_HEAD,
        (
            (
                row.name, row.kind.value, scores.test,
                scores.litmus.mean, scores.litmus.standard_error, scores.litmus.n, scores.litmus.of,
                scores.competency.mean, scores.competency.n, scores.competency.of, scores.reliability, scores.weak,
            )
            for row in rows
            for scores in row.scores
            if scores is not None
        ),
    )  # fmt: skip


def runs_csv(records: Iterable[RunRecord]) -> str:
    """The runs behind table and charts, with the metrics of the Pareto chart."""
    return as_csv(
        RUN_HEAD,
        (
            (
                r.run_id,
                r.player,
                r.environment,
                r.variant,
                r.seed,
                r.state,
                r.score,
                *(r.metrics[key] for key in PARETO),
            )
            for r in records
        ),
    )
