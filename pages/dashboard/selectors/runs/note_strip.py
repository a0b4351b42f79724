"""How the notes of a run changed from period to period, in lines added and dropped."""

from collections import Counter
from dataclasses import dataclass, field
from operator import attrgetter

from environments.changes.wording import without_numbers
from infrastructure.text.formats import counted
from pages.dashboard.selectors.runs.calls import player
from runs.models import Note, Run

LEVELS = 6
"""Heights of a bar."""


@dataclass(frozen=True)
class NoteChange:
    """A period: lines that its notes have and the previous notes did not, and the reverse.

    A line that moved is not a change, nor is one in which only numbers differ. Levels are 0 for no line, else 1 to LEVELS.
    """

    period: int
    added: int
    dropped: int
    added_level: int = 0
    dropped_level: int = 0

    @property
    def label(self) -> str:
        if not self.added and not self.dropped:
            return f"Period {self.period}: no line changed"
        return f"Period {self.period}: {counted(self.added, 'line,lines')} added, {self.dropped:,} dropped"


@dataclass(frozen=True)
class SeatStrip:
    """player: the seat's agent, empty if one seat plays; sentence: what the cells show, in words"""

    player: str
    sentence: str
    cells: list[NoteChange] = field(default_factory=list)


def note_strip(run: Run) -> list[SeatStrip]:
    """The changes by seat, in one query; seats without notes are left out. Time is linear in the texts."""
    by_seat: dict[str, dict[int, Counter[str]]] = {}
    notes = Note.objects.filter(run=run, period_index__lt=run.periods_played)
    for seat, period, text in notes.values_list("seat", "period_index", "text").iterator():
        lines = by_seat.setdefault(seat, {}).setdefault(period, Counter())
        lines.update(without_numbers(line) for line in text.splitlines() if line.strip())
    several = len(by_seat) > 1
    return [_strip(player(run, seat) if several else "", by_seat[seat], run.periods_played) for seat in sorted(by_seat)]


def _strip(name: str, notes: dict[int, Counter[str]], periods_played: int) -> SeatStrip:
    changes, before = [], Counter[str]()
    for period in range(periods_played):
        now = notes.get(period, before)  # a period without a note changes nothing
        changes.append((period, (now - before).total(), (before - now).total()))
        before = now
    most = max(max(added, dropped) for _, added, dropped in changes)
    cells = [NoteChange(*change, *(_level(lines, most) for lines in change[1:])) for change in changes]
    return SeatStrip(name, _sentence(cells), cells)


def _level(lines: int, most: int) -> int:
    """The square root keeps small changes visible beside the first notes."""
    return min(LEVELS, max(1, round(LEVELS * (lines / most) ** 0.5))) if lines else 0


def _sentence(cells: list[NoteChange]) -> str:
    added, dropped = (sum(map(attrgetter(name), cells)) for name in ("added", "dropped"))
    changed = sum(bool(cell.added or cell.dropped) for cell in cells)
    largest = max(cells, key=lambda cell: cell.added + cell.dropped)
    return (
        f"Notes changed in {changed:,} of {counted(len(cells), 'period,periods')}, numbers aside: "
        f"{counted(added, 'line,lines')} added and {dropped:,} dropped, most in period {largest.period}."
    )
