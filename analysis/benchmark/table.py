"""The benchmark table: agents by environment and difficulty. Pure functions over plain records.

A cell holds the mean over instances, so that every instance counts once:
- Several finished runs of one agent on one instance are averaged first. The instance is solved if all of them solved
it.
- Unfinished runs enter no mean, but their instances count in the coverage, n of N instances started.
- Unfinished runs are also counted as left out, since an instance may have a finished run and a stalled one.
- Where only runs that ended without a score are there, bounds say what they could change.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from analysis.base.published import PublishedScore
from analysis.base.table import AGENT, OVERALL, BenchmarkColumn, Kind, TableRow, by_value, grouped
from analysis.benchmark.cells import CellScores, summaries_of
from analysis.benchmark.ranks import Contestant, Standing, standings
from stats.means import BOUNDS, Interval
from stats.strata import Group, stratified_interval
from stats.summaries import Summary, mean


class ScoredRun(NamedTuple):
    """A finished run; the score is a share."""

    run_id: int
    seed: int
    score: float
    solved: bool | None = None


@dataclass(frozen=True)
class ScoredRuns:
    """The finished runs behind a strip plot.

    dots: runs that are drawn, by agent and difficulty, each list ascending by score
    total: number of all finished runs; low, high: the extremes of their scores as shares
    """

    dots: dict[tuple[int, str], list[ScoredRun]]
    total: int
    low: float
    high: float


@dataclass(frozen=True)
class Row(TableRow):
    """A row of the benchmark table. `cells` are in the order of the table's columns, None without a run.

    standing: its rank among the rows with scores in the same columns
    interval: 95 % interval of `overall`, as shares, see `stats.strata`; None for published rows and for too few instances
    """

    cells: tuple[Summary | None, ...]
    standing: Standing = Standing()
    interval: Interval | None = None

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
    """The benchmark table.

    mixed: columns in which agents have finished different instances
    runs: scored own runs by environment
    """

    columns: tuple[BenchmarkColumn, ...]
    rows: tuple[Row, ...]
    mixed: tuple[BenchmarkColumn, ...] = ()
    runs: Counter[str] = field(default_factory=Counter)

    @property
    def groups(self) -> list[tuple[str, int]]:
        """(environment, number of columns) of each group of columns."""
        return list(Counter(column.environment for column in self.columns).items())

    @property
    def own_cells(self) -> list[Summary]:
        """Cells of the organization's own agents, baselines included."""
        return [cell for row in self.rows if row.kind != Kind.PUBLISHED for cell in row.cells if cell is not None]

    @property
    def coverage(self) -> tuple[int, int]:
        """(instances scored, instances started), over all own cells."""
        return sum(cell.n for cell in self.own_cells), sum(cell.of for cell in self.own_cells)

    @property
    def left_out(self) -> int:
        """The number of own runs that have no score."""
        return sum(cell.left_out for cell in self.own_cells)


def benchmark_table(
    cells: Iterable[CellScores],
    agents: Iterable[TableRow],
    published: Iterable[PublishedScore],
    columns: Sequence[BenchmarkColumn],
    sort: str = f"-{OVERALL}",
    own_prompt: str = "",
) -> BenchmarkTable:
    """Build the table of the given columns; cells of other columns are left out.

    sort: "overall", "agent" or a column's key; a minus means descending
    own_prompt: the variant of all cells if it is an own prompt
    """
    own: dict[int | None, ByColumn] = {}
    runs: Counter[str] = Counter()
    in_columns = [cell for cell in cells if cell.column in columns]
    for cell in in_columns:
        own.setdefault(cell.agent_id, {})[cell.column] = cell
        runs[cell.column.environment] += cell.scored
    keys: list[tuple[int | None, BenchmarkColumn]] = [(cell.agent_id, cell.column) for cell in in_columns]
    summaries = dict(zip(keys, summaries_of(in_columns), strict=True))
    rows = [
        Row(
            agent.name,
            agent.kind,
            agent.agent_id,
            agent.agent_slug,
            tuple(summaries.get((agent.agent_id, column)) for column in columns),
            own_prompt=own_prompt,
        )
        for agent in agents
        if agent.agent_id in own
    ]
    rows = _ranked(own, [*rows, *_published_rows(published, columns)])
    visible_rows = sorted_rows((row for row in rows if row.means or row.kind != Kind.PUBLISHED), columns, sort)
    mixed = tuple(column for column in columns if _is_mixed(own_cells.get(column) for own_cells in own.values()))
    return BenchmarkTable(tuple(columns), tuple(visible_rows), mixed, runs)


def _published_rows(published: Iterable[PublishedScore], columns: Sequence[BenchmarkColumn]) -> Iterator[Row]:
    by_llm = grouped(published, lambda score: score.llm, lambda score: (score.environment, score.difficulty))
    for llm, scores in by_llm.items():
        cells = tuple(scores[column][0].summary if column in scores else None for column in columns)
        yield Row(llm, Kind.PUBLISHED, None, "", cells)


ByColumn = dict[BenchmarkColumn, CellScores]


def _ranked(own: Mapping[int | None, ByColumn], rows: Sequence[Row]) -> list[Row]:
    """The rows with their ranks and the intervals of their means."""
    contestants = []
    for row in rows:
        columns = frozenset(index for index, cell in enumerate(row.cells) if cell is not None and cell.mean is not None)
        cells = list(own[row.agent_id].values()) if row.agent_id in own and row.agent_id is not None else []
        ids, scores = ([getattr(cell, name) for cell in cells] for name in ("instances", "scores"))
        played = (np.concatenate(ids), np.concatenate(scores)) if cells else (None, None)
        contestants.append(Contestant(columns, row.overall, *played))
    return [
        replace(row, standing=standing, interval=_overall_interval(row, contestant))
        for row, contestant, standing in zip(rows, contestants, standings(contestants), strict=True)
    ]


def _overall_interval(row: Row, contestant: Contestant) -> Interval | None:
    cells = [cell for cell in row.cells if cell is not None and cell.mean is not None]
    if contestant.scores is None or not cells:
        return None
    if len(cells) == 1:
        return cells[0].interval
    groups = [Group(cell.mean or 0.0, cell.standard_error, cell.n) for cell in cells]
    known = contestant.scores[~np.isnan(contestant.scores)]
    is_bounded = bool(BOUNDS[0] <= known.min() and known.max() <= BOUNDS[1])
    return stratified_interval(groups, is_bounded=is_bounded)


def _is_mixed(cells: Iterable[CellScores | None]) -> bool:
    """Whether agents with a score in a column have finished different instances of it."""
    sets = {np.sort(cell.instances[cell.is_known]).tobytes() for cell in cells if cell}
    return len(sets - {b""}) > 1


def sorted_rows(rows: Iterable[Row], columns: Sequence[BenchmarkColumn], sort: str) -> list[Row]:
    """Sort rows. If they are sorted by overall mean, incomplete rows follow the complete ones, by their columns."""
    key = sort.removeprefix("-")
    if key == AGENT:
        return sorted(rows, key=lambda row: row.name.casefold(), reverse=sort != key)
    indices = {column.key: index for index, column in enumerate(columns)}

    def value(row: Row) -> float | None:
        cell = row.cells[indices[key]] if key in indices else None
        return row.overall if key == OVERALL else cell.mean if cell else None

    ordered = by_value(rows, sort, value, lambda row: key != OVERALL or row.is_complete)
    # Rows with the same columns stand together, those with more columns first.
    return sorted(ordered, key=lambda row: _absent(row) if key == OVERALL else ())


def _absent(row: Row) -> tuple[int, ...]:
    """The number of cells without a mean, then their positions; rows without any mean come last."""
    absent = [index for index, cell in enumerate(row.cells) if cell is None or cell.mean is None]
    return len(absent), *absent
