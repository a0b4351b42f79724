"""Reads for a comparison of runs. A page of it reads one period of each run, besides the actions where runs part."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models.functions import Left, Length
from django.utils.safestring import SafeString

from analysis.run_comparison.parting import Parting, parting
from environments.base import Outcome
from infrastructure.text.rendering import render_note
from runs.models import Note, Period, Run

PREVIEW_CHARACTERS = 1_200
"""Characters of a note shown beside others; the run's page has the whole of it."""


@dataclass(frozen=True)
class NotePreview:
    """seat: empty where the run has one seat only; length: characters of the whole note"""

    seat: str
    html: SafeString
    length: int

    @property
    def is_clipped(self) -> bool:
        return self.length > PREVIEW_CHARACTERS


@dataclass(frozen=True)
class RunPeriod:
    """What one run did in a period. period: None if it was not played; same_as: an earlier run with the same action"""

    run: Run
    period: Period | None
    before: Period | None
    notes: list[NotePreview]
    same_as: int | None


def parting_of(runs: Sequence[Run]) -> Parting:
    """One query that reads the actions alone."""
    actions: dict[int, dict[int, Any]] = {run.pk: {} for run in runs}
    for run_id, index, action in Period.objects.filter(run__in=runs).values_list("run_id", "index", "action"):
        actions[run_id][index] = action
    return parting([actions[run.pk] for run in runs])


def outcomes_of_runs(runs: Sequence[Run]) -> dict[int, list[Outcome]]:
    """All outcomes by run. One query."""
    outcomes: dict[int, list[Outcome]] = {run.pk: [] for run in runs}
    rows = Period.objects.filter(run__in=runs).order_by("run_id", "index")
    plain: Iterable[tuple[Any, ...]] = rows.values_list("run_id", "index", "action", "result", "quality", "ended")
    for run_id, *values in plain:
        outcomes[run_id].append(Outcome(*values))
    return outcomes


def run_periods(runs: Sequence[Run], index: int) -> list[RunPeriod]:
    """One period of every run, with the period before it. Two queries."""
    rows = {(row.run_id, row.index): row for row in Period.objects.filter(run__in=runs, index__in=(index - 1, index))}
    notes = _notes(runs, index)
    columns: list[RunPeriod] = []
    for run in runs:
        period = rows.get((run.pk, index))
        same = (
            column.run.pk
            for column in columns
            if period is not None and column.period is not None and column.period.action == period.action
        )
        columns.append(RunPeriod(run, period, rows.get((run.pk, index - 1)), notes[run.pk], next(same, None)))
    return columns


def _notes(runs: Sequence[Run], index: int) -> dict[int, list[NotePreview]]:
    rows = list(
        Note.objects.filter(run__in=runs, period_index=index)
        .order_by("run_id", "seat", "order")
        .annotate(start=Left("text", PREVIEW_CHARACTERS), length=Length("text"))
        .values_list("run_id", "seat", "start", "length")
    )
    seats = {seat for _, seat, _, _ in rows}
    notes: dict[int, list[NotePreview]] = defaultdict(list)
    for run_id, seat, start, length in rows:
        seat_label = seat.replace("_", " ") if len(seats) > 1 else ""
        notes[run_id].append(NotePreview(seat_label, render_note(start), length))
    return notes


def last_played(runs: Sequence[Run]) -> int:
    """The last period that any of the runs played; 0 before the first."""
    return max(0, *(run.periods_played - 1 for run in runs))
