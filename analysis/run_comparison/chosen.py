"""The runs that a reader chose, and why they cannot be compared where they cannot."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from accounts.models import Organization
from accounts.pages.requests import whole
from infrastructure.text.formats import counted
from runs.models import Instance, Run

MOST_RUNS = 6
MOST_READ = 50
"""Numbers of an address that are looked up."""


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
        """The query string of the table of runs that finds the instance's runs."""
        instance = self.instance
        return urlencode({"text": f"{instance.environment} {instance.difficulty} {instance.seed}"})

    @property
    def is_comparable(self) -> bool:
        return len(self.runs) > 1


@dataclass(frozen=True)
class ChosenRuns:
    """groups: the chosen runs by instance; unknown: numbers of no run of the organization, as they were given"""

    groups: list[InstanceRuns] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)

    @property
    def compared(self) -> list[Run]:
        """Two to MOST_RUNS runs of one instance; none where the choice is not comparable."""
        if len(self.groups) != 1 or not self.groups[0].is_comparable:
            return []
        return self.groups[0].runs[:MOST_RUNS]

    @property
    def problem(self) -> str:
        """Why nothing is compared; empty where something is."""
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
        """What was left out of the comparison, a sentence each."""
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
        """Why not exactly these runs are compared, for programs, which get all of them or none."""
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
    """What an address calls a run, as far as it can be printed."""
    return "".join(letter for letter in number[:20] if letter.isprintable()) or "without a number"
