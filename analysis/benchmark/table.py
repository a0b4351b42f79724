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
from stats.ranks import Ranks, rank_ranges, separations
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

    ranks: the best and the worst rank that the tests allow, see `stats.ranks`; None if the row is not ranked
    ranked_among: number of rows among which it is ranked: for a complete row, the complete ones; else those that have
        finished an instance that it has finished too
    """

    cells: tuple[Summary | None, ...]
    ranks: Ranks | None = None
    ranked_among: int = 0

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
    rows = [*_ranked(own, rows), *_published_rows(published, columns)]
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
    """The rows with their ranges of ranks over the instances of all columns. A row that is ranked alone has none."""
    if len(rows) < 2:
        return list(rows)
    ids = [np.concatenate([cell.instances for cell in own[row.agent_id].values()]) for row in rows]
    instances = np.unique(np.concatenate(ids))
    matrix = np.full((len(rows), len(instances)), np.nan)
    for number, row in enumerate(rows):
        scores = np.concatenate([cell.scores for cell in own[row.agent_id].values()])
        matrix[number, np.searchsorted(instances, ids[number])] = scores
    has_score = (~np.isnan(matrix)).astype(np.float32)  # a product of floats is far quicker than one of integers
    is_complete = np.array([row.is_complete for row in rows])
    peers = np.where(is_complete[:, None], is_complete, has_score @ has_score.T > 0)
    ranges, numbers = rank_ranges(separations(matrix), peers), peers.sum(axis=1).tolist()
    return [
        replace(row, ranks=ranks, ranked_among=number) if number > 1 else row
        for row, ranks, number in zip(rows, ranges, numbers, strict=True)
    ]


def _is_mixed(cells: Iterable[CellScores | None]) -> bool:
    """Whether agents with a score in a column have finished different instances of it."""
    sets = {np.sort(cell.instances[cell.is_known]).tobytes() for cell in cells if cell}
    return len(sets - {b""}) > 1


def sorted_rows(rows: Iterable[Row], columns: Sequence[BenchmarkColumn], sort: str) -> list[Row]:
    """Sort rows. If they are sorted by overall mean, incomplete rows follow the complete ones."""
    key = sort.removeprefix("-")
    if key == AGENT:
        return sorted(rows, key=lambda row: row.name.casefold(), reverse=sort != key)
    indices = {column.key: index for index, column in enumerate(columns)}

    def value(row: Row) -> float | None:
        cell = row.cells[indices[key]] if key in indices else None
        return row.overall if key == OVERALL else cell.mean if cell else None

    return by_value(rows, sort, value, lambda row: key != OVERALL or row.is_complete)
