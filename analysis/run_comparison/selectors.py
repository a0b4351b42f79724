"""The runs that a reader chose to compare, and database reads for their page."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlencode

from django.db.models.functions import Left, Length
from django.utils.safestring import SafeString

from accounts.models import Organization
from accounts.pages.requests import whole
from analysis.run_comparison.sentences import Parting, parting
from environments.base import Outcome
from infrastructure.text.formats import counted
from infrastructure.text.rendering import render_note
from runs.models import Instance, Note, Period, Run

PREVIEW_CHARACTERS = 1_200
"""Characters of a note shown beside others. The run's page has the whole note."""


@dataclass(frozen=True)
class NotePreview:
    """The beginning of a note. seat: empty if the run has one seat only; length: characters of the whole note"""

    seat: str
    html: SafeString
    length: int

    @property
    def is_clipped(self) -> bool:
        return self.length > PREVIEW_CHARACTERS


@dataclass(frozen=True)
class RunPeriod:
    """One run in a period. period: None if it was not played; same_as: an earlier run in the list with the same action"""

    run: Run
    period: Period | None
    before: Period | None
    notes: list[NotePreview]
    same_as: int | None


def parting_of(runs: Sequence[Run]) -> Parting:
    """The periods in which the runs differ. One query, which reads the actions alone."""
    actions: dict[int, dict[int, Any]] = {run.pk: {} for run in runs}
    for run_id, index, action in Period.objects.filter(run__in=runs).values_list("run_id", "index", "action"):
        actions[run_id][index] = action
    return parting([actions[run.pk] for run in runs])


def outcomes_of_runs(runs: Sequence[Run]) -> dict[int, list[Outcome]]:
    """All outcomes, by run id. One query."""
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


MOST_RUNS = 6
MOST_READ = 50
"""The most run numbers of an address that are looked up."""


@dataclass(frozen=True)
class InstanceRuns:
    """The chosen runs of one instance, in the chosen order."""

    instance: Instance
    runs: list[Run]

    @property
    def query(self) -> str:
        return query_of(self.runs)

    @property
    def search(self) -> str:
        """The query string with which the table of runs finds all runs of the instance."""
        instance = self.instance
        return urlencode({"text": f"{instance.environment} {instance.difficulty} {instance.seed}"})

    @property
    def is_comparable(self) -> bool:
        return len(self.runs) > 1


@dataclass(frozen=True)
class ChosenRuns:
    """The runs that a reader chose to compare.

    groups: the chosen runs by instance; unknown: given numbers that are no run of the organization
    """

    groups: list[InstanceRuns] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def compared(self) -> list[Run]:
        """The runs of one instance to compare, from two to MOST_RUNS; empty if the choice is not comparable."""
        if len(self.groups) != 1 or not self.groups[0].is_comparable:
            return []
        return self.groups[0].runs[:MOST_RUNS]

    @property
    def problem(self) -> str:
        """The reason why nothing is compared; empty if something is."""
        if self.compared:
            return ""
        if not self.groups:
            return "" if self.unknown else f"Choose 2 to {MOST_RUNS} runs of one instance."
        if len(self.groups) == 1:
            return f"One run is chosen. Choose another one of the same instance, up to {MOST_RUNS} in all."
        number = sum(len(group.runs) for group in self.groups)
        return (
            f"The {number} chosen runs are of {len(self.groups)} different instances. Only runs of one instance are "
            "compared, since they face the same problem."
        )

    @property
    def notes(self) -> list[str]:
        """Sentences on the chosen runs that are left out of the comparison."""
        notes = []
        if self.unknown:
            listed = ", ".join(self.unknown[:MOST_RUNS])
            more = " and others" if len(self.unknown) > MOST_RUNS else ""
            notes.append(f"There is no run {listed}{more} in this organization.")
        run_count = len(self.groups[0].runs) if self.compared else 0
        if run_count > MOST_RUNS:
            notes.append(f"Only the first {MOST_RUNS} of {counted(run_count, 'run,runs')} are compared.")
        return notes

    @property
    def refusal(self) -> str:
        """The reason why the chosen runs cannot all be compared; empty if they can.

        For the API, which compares all of them or none. Pages also compare a part.
        """
        return " ".join(filter(None, (*self.notes, self.problem)))


def query_of(runs: Sequence[Run]) -> str:
    """The query string that chooses these runs."""
    return urlencode([("run", run.pk) for run in runs])


def chosen_runs(*, organization: Organization, numbers: Sequence[str]) -> ChosenRuns:
    """The runs of these numbers, each once. Two queries."""
    requested = list(dict.fromkeys(numbers))[:MOST_READ]
    rows = Run.objects.filter(organization=organization, pk__in=[whole(number, 0) for number in requested])
    by_number = {run.pk: run for run in rows.select_related("agent", "rival", "experiment").defer("config", "metrics")}
    runs = {run.pk: run for number in requested if (run := by_number.get(whole(number, 0)))}
    unknown = [_printable(number) for number in requested if whole(number, 0) not in runs]
    # Instances are large, and most of the chosen runs share one.
    instances = Instance.objects.in_bulk({run.instance_id for run in runs.values()})
    groups: dict[int, InstanceRuns] = {}
    for run in runs.values():
        run.instance = instances[run.instance_id]
        groups.setdefault(run.instance_id, InstanceRuns(run.instance, [])).runs.append(run)
    return ChosenRuns(list(groups.values()), unknown)


def _printable(number: str) -> str:
    """A given run number, made safe to print."""
    return "".join(letter for letter in number[:20] if letter.isprintable()) or "without a number"
