"""The notes of a seat, from its journal. A request reads only the notes that it returns."""

from collections.abc import Collection, Iterable
from itertools import groupby
from typing import Any

from agents.tools import READ, WRITE, Notes, requested_period
from environments.base import Environment
from runs.episodes.models import JournalEntry, Seat

MOST_AT_ONCE = 50_000
"""Characters of notes per page. The period in which the limit is passed is still shown whole."""

ROWS_AT_ONCE = 10


def periods_read(game: Environment, seat: str, rows: Iterable[JournalEntry]) -> set[int]:
    """The periods whose notes the seat has read, according to these rows of its journal."""
    periods = (requested_period(game, seat, row.arguments) for row in rows if row.tool == READ)
    return {period for period in periods if period is not None}


def requested_notes(game: Environment, seat: Seat, tool: str, arguments: dict[str, Any]) -> Notes:
    """The notes that a call needs: those of the period that it asks for, else none. Raises ToolError."""
    period = requested_period(game, seat.name, arguments) if tool == READ else None
    return Notes() if period is None else written_notes(seat, [period])


def written_notes(seat: Seat, periods: Collection[int]) -> Notes:
    """The notes that a seat wrote in these periods, from its journal."""
    return _notes_of(JournalEntry.objects.filter(seat=seat, tool=WRITE, period__in=periods))


def _notes_of(rows: Iterable[JournalEntry]) -> Notes:
    notes = Notes()
    for row in rows:
        notes.write(row.period, row.arguments)
    return notes


def latest_notes(seat: Seat, before: int) -> tuple[list[tuple[int, str]], int | None]:
    """The notes of the latest periods before the period `before`, newest first.

    Returns (period, text) pairs, and the period to pass as `before` for the next page, None if there is none.
    """
    rows = JournalEntry.objects.filter(seat=seat, tool=WRITE, period__lt=before).order_by("-number")
    period_texts: list[tuple[int, str]] = []
    room = MOST_AT_ONCE
    for period, written in groupby(rows.iterator(chunk_size=ROWS_AT_ONCE), lambda row: row.period):
        if room <= 0:
            return period_texts, period_texts[-1][0]
        period_texts.append((period, "\n\n".join(reversed(_notes_of(written).by_period[period]))))
        room -= len(period_texts[-1][1])
    return period_texts, None
