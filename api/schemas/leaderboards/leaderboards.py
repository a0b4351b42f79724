from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import Field

from analysis.base.hidden import Hidden
from analysis.base.litmus_filters import PARTS
from analysis.base.table import Kind
from analysis.benchmark.table import BenchmarkTable, Row
from analysis.litmus.table import LitmusRow
from api.schemas.base import Out
from api.schemas.leaderboards.hidden import HiddenOut
from environments.generation import is_design

RowKind = Annotated[str, Field(json_schema_extra={"enum": [kind.value for kind in Kind]})]


OwnPrompt = Annotated[
    str,
    Field(
        description="The runs' own prompt; `as_run`: the texts that the experiments sent; empty: the paper's prompt.",
        examples=[""],
    ),
]


class SummaryOut(Out):
    mean: float | None
    """Mean score as a share from 0 to 1, unrounded; pages print it times 100. For discount rates, a share per year."""
    standard_error: float | None
    """In the unit of the mean: a share."""
    interval: list[float] | None
    """95 % interval of the mean, as shares; null if `n` is below six, or if all scores are equal. The method
    is Student's t, wider near a bound. If half of the scores equal a bound, it is the BCa
    bootstrap, and null if `n` is below twelve."""
    n: int
    """Number of instances or runs with a score."""
    of: int
    """Number of instances or runs that were started; 0 in published rows, where it is not known."""
    solved: int | None


class BenchmarkCell(SummaryOut):
    environment: str
    difficulty: str
    is_own_design: bool
    """Whether the difficulty is a design of the organization and not a difficulty of the paper."""
    missing: int
    """Number of instances of which a run ended without a score (stalled, errored, cancelled) and none has one."""
    bounds: list[float] | None
    """Shares from 0 to 1: the mean with the missing scores as low as the lowest score of any agent on their
    instances, or as what the run had reached where a score cannot fall, and with the missing scores at 1; null if none
    is missing."""
    least: float | None
    """As a share from 0 to 1: the same mean with missing scores at 0, or at what the run had reached."""


class BenchmarkRow(Out):
    name: str
    kind: RowKind
    agent: str | None
    """Slug of the organization's agent; null for other rows."""
    own_prompt: OwnPrompt
    overall: float | None
    """Mean over the columns with a score, as a share from 0 to 1."""
    overall_interval: list[float] | None
    """95 % interval of `overall`, as shares from 0 to 1; null for published rows and for too few instances."""
    rank: int | None
    """1 + the number of rows with scores in the same columns and a higher `overall`; null for a row alone."""
    rank_of: int
    """Number of rows with scores in the same columns; 0 without a rank."""
    ranks: list[int] | None
    """The best and the worst rank that the tests do not exclude; null for a published row, which has no runs to test, and
    for a row alone."""
    ranked_among: int
    """Number of rows among which `ranks` holds: `rank_of`; 0 without `ranks`."""
    is_complete: bool
    """Whether `overall` is the mean of all columns. Only such rows are comparable."""
    cells: list[BenchmarkCell]

    @staticmethod
    def values(row: Row, table: BenchmarkTable) -> dict[str, Any]:
        cells = [
            BenchmarkCell.from_row(cell, column, is_own_design=is_design(column.difficulty))
            for column, cell in zip(table.columns, row.cells, strict=True)
            if cell is not None
        ]
        return BenchmarkRow.from_row(
            row,
            kind=row.kind.value,
            agent=row.agent_slug or None,
            cells=cells,
            overall_interval=row.interval,
            **row.standing._asdict(),
        )


class BenchmarkOut(Out):
    """The benchmark leaderboard. Scores are unrounded, from 0 to 1."""

    rows: list[BenchmarkRow]
    hidden: HiddenOut

    @staticmethod
    def values(table: BenchmarkTable, hidden: Hidden) -> dict[str, Any]:
        rows = [BenchmarkRow.values(row, table) for row in table.rows]
        return {"rows": rows, "hidden": HiddenOut.values(hidden)}


class JointOut(Out):
    """Intervals that all contain their true values in at least 95 % of cases; null where an interval is not known."""

    litmus: list[float] | None
    """Shares from 0 to 1; for discount rates, shares per year."""
    competency: list[float] | None
    """Shares from 0 to 1."""
    reliability: list[float] | None
    """Shares from 0 to 1."""


class LitmusTestScores(Out):
    test: str
    litmus: SummaryOut
    competency: SummaryOut
    reliability: float | None
    """Share from 0 to 1: 1 minus the standard deviation of the runs."""
    steadiness: list[float] | None
    """95 % interval of the reliability, as shares; null if runs are equal, too few, or at a bound where it is 1
    minus their standard deviation."""
    joint: JointOut
    weak: str
    """Why the litmus score is not informative; empty if it is informative."""
    bound: str


class LitmusAgentRow(Out):
    name: str
    kind: RowKind
    agent: str | None
    own_prompt: OwnPrompt
    scores: list[LitmusTestScores]

    @staticmethod
    def values(row: LitmusRow) -> dict[str, Any]:
        scores = [
            LitmusTestScores.from_row(
                test_scores,
                litmus=SummaryOut.from_row(test_scores.litmus),
                competency=SummaryOut.from_row(test_scores.competency),
                steadiness=list(test_scores.steadiness) if test_scores.steadiness else None,
                joint={part: test_scores.joint.get(part) for part in PARTS},
            )
            for test_scores in row.scores
            if test_scores is not None
        ]
        return LitmusAgentRow.from_row(row, kind=row.kind.value, agent=row.agent_slug or None, scores=scores)


class LitmusOut(Out):
    """The litmus table. Discount rates are shares per year, other scores are from 0 to 1; all are unrounded."""

    rows: list[LitmusAgentRow]
    hidden: HiddenOut

    @staticmethod
    def values(rows: Iterable[LitmusRow], hidden: Hidden) -> dict[str, Any]:
        return {"rows": [LitmusAgentRow.values(row) for row in rows], "hidden": HiddenOut.values(hidden)}
