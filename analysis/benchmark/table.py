"""The benchmark table: agents by environment and difficulty. Pure functions over plain records.

A cell holds the mean over instances, so that every instance counts once:
- Several finished runs of one agent on one instance are averaged first. The instance is solved if all of them solved it.
- Unfinished runs are in no mean, but their instances count in the coverage, n of N instances started.
- Unfinished runs are also counted as left out, since an instance may have a finished run and a stalled one.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from analysis.base.table import AGENT, Kind, RunRecord, TableRow, by_value, grouped
from analysis.benchmark.published import PublishedScore
from stats.summaries import Summary, mean, summary

OVERALL = "overall"


@dataclass(frozen=True)
class BenchmarkColumn:
    environment: str
    difficulty: str

    @property
    def key(self) -> str:
        return f"{self.environment}.{self.difficulty}"


@dataclass(frozen=True)
class Row(TableRow):
    """`cells` are in the order of the table's columns, None without a run."""

    cells: tuple[Summary | None, ...]

    @property
    def means(self) -> list[float]:
        return [cell.mean for cell in self.cells if cell is not None and cell.mean is not None]

    @property
    def overall(self) -> float | None:
        """Mean over the cells that have a mean. Only complete rows are comparable."""
        return mean(self.means)

    @property
    def is_complete(self) -> bool:
        return len(self.means) == len(self.cells)


@dataclass(frozen=True)
class BenchmarkTable:
    columns: tuple[BenchmarkColumn, ...]
    rows: tuple[Row, ...]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """(environment, number of columns)"""
        return list(Counter(column.environment for column in self.columns).items())

    @property
    def own_cells(self) -> list[Summary]:
        """Cells of the organization's own agents, baselines included."""
        return [cell for row in self.rows if row.kind != Kind.PUBLISHED for cell in row.cells if cell is not None]

    @property
    def coverage(self) -> tuple[int, int]:
        """Instances scored and instances started, over all own cells."""
        return sum(cell.n for cell in self.own_cells), sum(cell.of for cell in self.own_cells)

    @property
    def left_out(self) -> int:
        """Own runs that have no score."""
        return sum(cell.left_out for cell in self.own_cells)


def benchmark_table(
    records: Iterable[RunRecord],
    published: Iterable[PublishedScore],
    columns: Sequence[BenchmarkColumn],
    sort: str = f"-{OVERALL}",
) -> BenchmarkTable:
    """The table of the given columns; other records and published scores are left out.

    `sort` is "overall", "agent" or a column's key; a minus means descending.
    """
    wanted = [record for record in records if _column(record) in columns]
    agents = {record.agent_id: record for record in wanted}
    rows = []
    for agent_id, runs in grouped(wanted, lambda run: run.agent_id, _column).items():
        agent = agents[agent_id]
        cells = tuple(cell_summary(runs[column]) if column in runs else None for column in columns)
        rows.append(Row(agent.agent_name, agent.kind, agent_id, agent.agent_slug, cells))
    for llm, scores in grouped(published, lambda score: score.llm, _column).items():
        cells = tuple(scores[column][0].summary if column in scores else None for column in columns)
        rows.append(Row(llm, Kind.PUBLISHED, None, "", cells))
    shown = [row for row in rows if row.means or row.kind != Kind.PUBLISHED]
    return BenchmarkTable(tuple(columns), tuple(sorted_rows(shown, columns, sort)))


def _column(of: RunRecord | PublishedScore) -> BenchmarkColumn:
    return BenchmarkColumn(of.environment, of.difficulty)


def cell_summary(records: Iterable[RunRecord]) -> Summary:
    """Summary of one agent's runs in one cell."""
    by_instance = grouped(records, lambda run: run.instance_id, lambda run: run.is_scored)
    scored = [runs[True] for runs in by_instance.values() if True in runs]
    left_out = sum(len(runs.get(False, ())) for runs in by_instance.values())
    values = [sum(run.score or 0.0 for run in runs) / len(runs) for runs in scored]
    known = any(run.solved is not None for runs in scored for run in runs)
    solved = sum(all(run.solved for run in runs) for runs in scored) if known else None
    return summary(values, of=len(by_instance), solved=solved, left_out=left_out)


def sorted_rows(rows: Iterable[Row], columns: Sequence[BenchmarkColumn], sort: str) -> list[Row]:
    """Rows in order. By overall mean, incomplete rows follow the complete ones."""
    key = sort.removeprefix("-")
    if key == AGENT:
        return sorted(rows, key=lambda row: row.name.casefold(), reverse=sort != key)
    places = {column.key: place for place, column in enumerate(columns)}

    def value(row: Row) -> float | None:
        cell = row.cells[places[key]] if key in places else None
        return row.overall if key == OVERALL else cell.mean if cell else None

    return by_value(rows, sort, value, lambda row: key != OVERALL or row.is_complete)
