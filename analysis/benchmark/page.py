"""The benchmark table: agents by environment and difficulty. Pure functions over plain records.

A cell holds the mean over instances. Where an agent finished several runs on one instance, their scores are averaged
first, so that every instance counts once; such an instance counts as solved where all of them solved it. Runs that did
not finish are in no mean, but their instances count in the cell's coverage: n of N instances, where N is the number of
distinct instances on which that agent has any run, whatever its state. They are also counted themselves as left out, since
an instance may have a finished run and a stalled one.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from analysis.benchmark.published import PublishedScore
from analysis.records import RunRecord
from analysis.statistics import Scores, Summary, mean, summary

OVERALL = "overall"
AGENT = "agent"


class Kind(StrEnum):
    """Whose row it is: an LLM agent of one's own, a baseline, a model of imported logs, or an LLM of the paper's table."""

    OWN = "own"
    BASELINE = "baseline"
    IMPORTED = "imported"
    PUBLISHED = "published"


SHOWN = tuple(kind for kind in Kind if kind != Kind.IMPORTED)
"""The rows shown where nobody asks for others: runs that were played elsewhere count only where they are asked for."""


class _Player(Protocol):
    @property
    def is_baseline(self) -> bool: ...
    @property
    def is_imported(self) -> bool: ...


def kind_of(run: _Player) -> Kind:
    if run.is_imported:
        return Kind.IMPORTED
    return Kind.BASELINE if run.is_baseline else Kind.OWN


@dataclass(frozen=True)
class Column:
    environment: str
    difficulty: str

    @property
    def key(self) -> str:
        return f"{self.environment}.{self.difficulty}"


@dataclass(frozen=True)
class Row:
    """One agent. `cells` are in the order of the table's columns, None where the agent has no run."""

    name: str
    kind: Kind
    agent_id: int | None
    agent_slug: str
    cells: tuple[Summary | None, ...]

    @property
    def means(self) -> list[float]:
        return [cell.mean for cell in self.cells if cell is not None and cell.mean is not None]

    @property
    def overall(self) -> float | None:
        """Mean of the cells that have one; comparable between rows only where none is missing."""
        return mean(self.means)

    @property
    def is_complete(self) -> bool:
        return len(self.means) == len(self.cells)


@dataclass(frozen=True)
class BenchmarkTable:
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]

    @property
    def groups(self) -> list[tuple[str, int]]:
        """Each environment with its number of columns."""
        counts: dict[str, int] = {}
        for column in self.columns:
            counts[column.environment] = counts.get(column.environment, 0) + 1
        return list(counts.items())

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
    columns: Sequence[Column],
    sort: str = f"-{OVERALL}",
) -> BenchmarkTable:
    """The table of the given columns; records and published scores of other columns are left out.

    `sort` is "overall", "agent" or a column's key, with a minus for descending.
    """
    rows = [*_own_rows(records, columns), *_published_rows(published, columns)]
    return BenchmarkTable(tuple(columns), tuple(sorted_rows(rows, columns, sort)))


def cell_summary(records: Iterable[RunRecord]) -> Summary:
    """Summary of one agent's runs in one cell."""
    by_instance: dict[int, list[RunRecord]] = defaultdict(list)
    for record in records:
        by_instance[record.instance_id].append(record)
    scored = [[run for run in runs if run.is_scored] for runs in by_instance.values()]
    scored = [runs for runs in scored if runs]
    left_out = sum(map(len, by_instance.values())) - sum(map(len, scored))
    values = tuple(sum(run.score or 0.0 for run in runs) / len(runs) for runs in scored)
    known = any(run.solved is not None for runs in scored for run in runs)
    solved = sum(all(run.solved for run in runs) for runs in scored) if known else None
    return summary(Scores(values, of=len(by_instance), solved=solved, left_out=left_out))


def _own_rows(records: Iterable[RunRecord], columns: Sequence[Column]) -> list[Row]:
    wanted = set(columns)
    agents: dict[int, RunRecord] = {}
    cells: dict[tuple[int, Column], list[RunRecord]] = defaultdict(list)
    for record in records:
        column = Column(record.environment, record.difficulty)
        if column in wanted:
            agents[record.agent_id] = record
            cells[record.agent_id, column].append(record)
    return [
        Row(
            name=agent.agent_name,
            kind=kind_of(agent),
            agent_id=agent.agent_id,
            agent_slug=agent.agent_slug,
            cells=tuple(
                cell_summary(runs) if (runs := cells.get((agent.agent_id, column))) else None for column in columns
            ),
        )
        for agent in agents.values()
    ]


def _published_rows(published: Iterable[PublishedScore], columns: Sequence[Column]) -> list[Row]:
    by_llm: dict[str, dict[Column, Summary]] = defaultdict(dict)
    for score in published:
        by_llm[score.llm][Column(score.environment, score.difficulty)] = score.summary
    rows = [
        Row(llm, Kind.PUBLISHED, None, "", tuple(cells.get(column) for column in columns))
        for llm, cells in by_llm.items()
    ]
    return [row for row in rows if row.means]


def sorted_rows(rows: Iterable[Row], columns: Sequence[Column], sort: str) -> list[Row]:
    """Rows in order; those without a value come last, and by overall mean those with missing cells after the others."""
    key, descending = sort.removeprefix("-"), sort.startswith("-")
    by_name = sorted(rows, key=lambda row: row.name.casefold())
    if key == AGENT:
        return by_name[::-1] if descending else by_name
    places = {column.key: place for place, column in enumerate(columns)}

    def value(row: Row) -> float | None:
        cell = row.cells[places[key]] if key in places else None
        return row.overall if key == OVERALL else cell.mean if cell else None

    def group(row: Row) -> int:
        return 2 if value(row) is None else int(key == OVERALL and not row.is_complete)

    return sorted(by_name, key=lambda row: (group(row), (value(row) or 0.0) * (-1 if descending else 1)))
