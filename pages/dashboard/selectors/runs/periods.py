"""The periods of a run. For one: events, calls, and notes with new words highlighted. For all: how the notes changed."""

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

from django.utils.safestring import SafeString

from environments.changes.wording import without_numbers
from games.presenter import PageSection
from games.registry import parts_of
from infrastructure.text.formats import counted
from infrastructure.text.rendering import LONGEST_SHOWN, can_tint, render_note
from pages.dashboard.selectors.runs.calls import CallLine, call_lines, is_survey, player
from runs.models import Instance, Note, Period, Run

NOTES_A_PAGE = 20
MOST_A_PAGE = 512 * 1024
"""The most characters of all notes on one page."""


@dataclass(frozen=True)
class NoteView:
    """One seat's notes of a period as HTML. Words that are new since period `compared_with` are highlighted.

    only_numbers: whether nothing but numbers changed, such as a counter or a price
    """

    period: int
    player: str
    html: SafeString
    word_count: int
    compared_with: int | None
    only_numbers: bool = False


@dataclass(frozen=True)
class PeriodView:
    index: int
    period: Period | None
    happened: list[PageSection]
    notes: list[NoteView]
    calls: list[CallLine]
    is_survey: bool = False

    @property
    def is_played(self) -> bool:
        return self.period is not None

    @property
    def tokens(self) -> int:
        return 0 if self.period is None else self.period.input_tokens + self.period.output_tokens

    @property
    def has_pair(self) -> bool:
        """Whether two seats wrote notes. They are then shown side by side."""
        return len(self.notes) == 2

    @property
    def steps(self) -> int:
        """The number of calls that are part of a chat."""
        return sum(call.number > 0 for call in self.calls)

    @property
    def players(self) -> int:
        return len({call.player for call in self.calls})


def period_view(run: Run, index: int) -> PeriodView:
    """One period of the run. Four queries for a run of any length."""
    rows = {row.index: row for row in Period.objects.filter(run=run, index__in=(index - 1, index))}
    period = rows.get(index)
    return PeriodView(
        index,
        period,
        happened(run.instance, period, rows.get(index - 1)) if period else [],
        _notes_of(run, index),
        call_lines(run, index),
        is_survey(run),
    )


def happened(instance: Instance, period: Period, before: Period | None) -> list[PageSection]:
    """Action and feedback of a period; empty until the optimum of the instance is known."""
    if instance.reference is None:
        return []
    return parts_of(instance.environment).presenter.happened(instance, period, before)


def _notes_of(run: Run, index: int) -> list[NoteView]:
    """The notes of this period by seat, each compared with the seat's previous notes."""
    texts: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    notes = Note.objects.filter(run=run)
    earlier = notes.filter(period_index__lt=index).order_by("-period_index").values("period_index")[:1]
    current_and_previous = notes.filter(period_index=index) | notes.filter(period_index__in=earlier)
    for note in current_and_previous.order_by("period_index", "seat", "order"):
        texts[note.seat][note.period_index].append(note.text)
    views = []
    for seat, by_period in texts.items():
        if index in by_period:
            before = max((period for period in by_period if period < index), default=-1)
            views.append(_note_view(player(run, seat), index, by_period[index], before, by_period.get(before)))
    return views


def _note_view(
    player: str, index: int, texts: list[str], before: int | None, earlier: list[str] | None, most: int = LONGEST_SHOWN
) -> NoteView:
    text = "\n\n".join(texts)
    compared = None if earlier is None else "\n\n".join(earlier)
    if compared is None or not (can_tint(text) and can_tint(compared)):
        before = compared = None
    only_numbers = compared not in (None, text) and without_numbers(text) == without_numbers(compared)
    return NoteView(index, player, render_note(text, compared, most), len(text.split()), before, only_numbers)


def notes_page(run: Run, first: int) -> list[NoteView]:
    """The notes of NOTES_A_PAGE periods from `first`, each compared with the previous period.

    Long notes are cut, so that each has an equal share of MOST_A_PAGE.
    """
    texts_by_note: dict[tuple[str, int], list[str]] = defaultdict(list)
    for note in Note.objects.filter(run=run, period_index__gte=first - 1, period_index__lt=first + NOTES_A_PAGE):
        texts_by_note[note.seat, note.period_index].append(note.text)
    keys = sorted((index, seat) for seat, index in texts_by_note if index >= first)
    return [
        _note_view(player(run, seat), index, texts_by_note[seat, index], index - 1, earlier, MOST_A_PAGE // len(keys))
        for index, seat in keys
        for earlier in [texts_by_note.get((seat, index - 1))]
    ]


def note_ranges(run: Run) -> list[tuple[int, int]]:
    """(first, last) period of each page of notes."""
    starts = range(0, max(1, run.periods_played), NOTES_A_PAGE)
    return [(start, min(start + NOTES_A_PAGE, run.periods_played) - 1) for start in starts]


def period_json(run: Run, index: int) -> dict[str, Any] | None:
    """A played period with notes and effort as JSON; None if it was not played."""
    period = Period.objects.filter(run=run, index=index).first()
    if period is None:
        return None
    return {
        "run": run.pk,
        "agent": run.agent.slug,
        "environment": run.instance.environment,
        "difficulty": run.instance.difficulty,
        "seed": run.instance.seed,
        "period": period.index,
        "action": period.action,
        "result": period.result,
        "quality": period.quality,
        "notes": [{"seat": note.seat, "text": note.text} for note in Note.objects.filter(run=run, period_index=index)],
        "queries": period.queries,
        "input_tokens": period.input_tokens,
        "cached_tokens": period.cached_tokens,
        "output_tokens": period.output_tokens,
        "reasoning_tokens": period.reasoning_tokens,
        "cost_nano": None if run.imported else period.cost_nano,
        "thinking_nano": None if run.imported else period.thinking_nano,
        "seconds": period.seconds,
        "played_at": period.created_at.isoformat() if run.knows_times else None,
    }


LEVELS = 6
"""Number of different heights of a bar."""


Change = tuple[int, int, int]
"""(period, lines added to the notes, lines removed). Moved lines and lines in which only numbers differ do not count."""


def note_strip(run: Run) -> list[dict[str, Any]]:
    """The changes by seat, in one query. Seats without notes are left out. Takes time linear in the texts.

    player: the agent of the seat, empty if only one seat plays; sentence: the content of the cells in words
    cells: the changes of each period in words, and as levels: 0 for no line, else 1 to LEVELS
    """
    by_seat: dict[str, dict[int, Counter[str]]] = {}
    notes = Note.objects.filter(run=run, period_index__lt=run.periods_played)
    for seat, period, text in notes.values_list("seat", "period_index", "text").iterator():
        lines = by_seat.setdefault(seat, {}).setdefault(period, Counter())
        lines.update(without_numbers(line) for line in text.splitlines() if line.strip())
    strips = {seat: _changes(by_seat[seat], run.periods_played) for seat in sorted(by_seat)}
    several = len(by_seat) > 1
    return [
        {"player": player(run, seat) if several else "", "sentence": _sentence(changes), "cells": _cells(changes)}
        for seat, changes in strips.items()
    ]


def _changes(notes: dict[int, Counter[str]], periods_played: int) -> list[Change]:
    changes, before = [], Counter[str]()
    for period in range(periods_played):
        now = notes.get(period, before)  # a period without a note changes nothing
        changes.append((period, (now - before).total(), (before - now).total()))
        before = now
    return changes


def _cells(changes: list[Change]) -> list[dict[str, Any]]:
    most = max(max(added, dropped) for _, added, dropped in changes)
    return [
        {
            "period": period,
            "label": f"Period {period}: {counted(added, 'line,lines')} added, {dropped:,} dropped"
            if added or dropped
            else f"Period {period}: no line changed",
            "added_level": _level(added, most),
            "dropped_level": _level(dropped, most),
        }
        for period, added, dropped in changes
    ]


def _level(lines: int, most: int) -> int:
    """The height of a bar. The square root keeps small changes visible beside the first notes."""
    return min(LEVELS, max(1, round(LEVELS * (lines / most) ** 0.5))) if lines else 0


def _sentence(changes: list[Change]) -> str:
    added, dropped = sum(change[1] for change in changes), sum(change[2] for change in changes)
    changed = sum(bool(change[1] or change[2]) for change in changes)
    largest = max(changes, key=lambda change: change[1] + change[2])
    return (
        f"Notes changed in {changed:,} of {counted(len(changes), 'period,periods')}, numbers aside: "
        f"{counted(added, 'line,lines')} added and {dropped:,} dropped, most in period {largest[0]}."
    )
