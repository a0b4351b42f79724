"""What previews of shared pages show in chats: a title and the first rows of its table.

Cards are made from the content that visitors see, so they can show nothing else.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from analysis.benchmark.leaderboard import BenchmarkLeaderboard
from analysis.litmus.leaderboard import LitmusLeaderboard
from infrastructure.text.formats import counted, heat, score
from sharing.shown.leaderboards import OTHERS, SharedLeaderboard
from sharing.shown.runs import SharedExperiment, SharedRun

MOST_ROWS = 8
MOST_COLUMNS = 10
MOST_FACTS = 4


class CardCell(NamedTuple):
    """heat: a CSS class from heat-0 to heat-10; empty without a colour"""

    text: str
    heat: str = ""


class CardRow(NamedTuple):
    name: str
    cells: tuple[CardCell, ...] = ()


@dataclass(frozen=True)
class Card:
    """The preview of a page.

    groups: (title, number of columns) of neighbouring columns
    more: number of rows that are left out
    """

    title: str
    facts: tuple[str, ...]
    rows: tuple[CardRow, ...]
    columns: tuple[str, ...] = ()
    groups: tuple[tuple[str, int], ...] = ()
    more: int = 0

    @property
    def description(self) -> str:
        """The preview in words, for people and programs that read no pictures."""
        facts = ", ".join(self.facts)
        rows = "; ".join(f"{row.name} {row.cells[0].text}" if row.cells else row.name for row in self.rows[:3])
        return f"{facts}. {rows}".strip(". ")


def leaderboard_card(content: SharedLeaderboard) -> Card:
    board, facts = content.leaderboard, [fact for fact in content.facts if fact != OTHERS]
    if isinstance(board, BenchmarkLeaderboard):
        rows = [
            CardRow(
                line.row.full_name,
                (
                    CardCell("–" if line.row.overall is None else score(line.row.overall)),
                    *(_benchmark_cell(cell.summary.mean if cell.summary else None) for cell in line.cells),
                ),
            )
            for line in board.rows
        ]
        columns = ["Mean", *(heading.label for heading in board.headings)]
        return _card(content.name, facts, rows, columns, [("", 1), *board.groups])
    if isinstance(board, LitmusLeaderboard):
        rows = [CardRow(line.row.full_name, tuple(CardCell(cell.text) for cell in line.cells)) for line in board.rows]
        groups = [(title, count) for title, _, count in board.tests]
        return _card(content.name, facts, rows, [heading.label for heading in board.headings], groups)
    return _card(content.name, facts, [CardRow(sentence) for sentence in board.sentences])


def experiment_card(content: SharedExperiment) -> Card:
    table = content.scores
    rows = [
        CardRow(
            f"{row.agent}, {row.variant}" if row.variant else row.agent,
            tuple(CardCell(cell.text, cell.heat) if cell else CardCell("") for cell in row.cells),
        )
        for row in table.rows
    ]
    facts = [content.word, content.environments, content.outcome]
    return _card(content.name, facts, rows, table.difficulties, table.environments)


def run_card(content: SharedRun) -> Card:
    rows = [CardRow(figure.label, (CardCell(figure.value),)) for figure in content.figures]
    periods = f"{content.periods_played:,} of {counted(content.periods, 'period,periods')}"
    return _card(content.title, [content.label, periods, *content.facts], rows)


def _benchmark_cell(mean: float | None) -> CardCell:
    return CardCell("–" if mean is None else score(mean), heat(mean))


def _card(
    title: str,
    facts: Iterable[str],
    rows: Sequence[CardRow],
    columns: Sequence[str] = (),
    groups: Iterable[tuple[str, int]] = (),
) -> Card:
    shown_rows = tuple(CardRow(row.name, row.cells[:MOST_COLUMNS]) for row in rows[:MOST_ROWS])
    return Card(
        title,
        tuple([fact for fact in facts if fact][:MOST_FACTS]),
        shown_rows or (CardRow("No matching runs yet."),),
        tuple(columns[:MOST_COLUMNS]),
        tuple(groups),
        len(rows) - len(shown_rows),
    )
