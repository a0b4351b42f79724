"""Progress of experiments: runs by state, share of the work, cost and a derived state."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Case, Count, F, FloatField, Q, Sum, Value, When
from django.db.models.functions import Cast

from infrastructure.text.formats import counted, money, whole_percent
from runs.models import Run, RunState
from runs.models.runs import ACTIVE, RETRYABLE, TERMINAL

ORDER = (
    RunState.RUNNING,
    RunState.WAITING,
    RunState.QUEUED,
    RunState.PAUSED,
    RunState.ERRORED,
    RunState.STALLED,
    RunState.CANCELLED,
    RunState.FINISHED,
)
"""The state of an experiment is the first of these that one of its runs has."""

UNPRICED = Q(queries__gt=0, agent__baseline="") & (Q(agent__input_price=None) | Q(agent__output_price=None))
"""Runs with model calls whose agent has no price."""


@dataclass
class Progress:
    """counts: runs by state; done: played work in whole runs; played: periods; cost_nano: billionths of a dollar
    unpriced: runs with calls of an agent without a price
    """

    counts: dict[str, int] = field(default_factory=dict)
    done: float = 0.0
    played: int = 0
    cost_nano: int = 0
    unpriced: int = 0

    def add(self, state: str, runs: int, done: float, played: int, cost_nano: int, unpriced: int = 0) -> None:
        self.counts[state] = self.counts.get(state, 0) + runs
        self.done += done
        self.played += played
        self.cost_nano += cost_nano
        self.unpriced += unpriced

    def count(self, states: Iterable[str]) -> int:
        return sum(self.counts.get(state, 0) for state in states)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def finished(self) -> int:
        return self.counts.get(RunState.FINISHED, 0)

    @property
    def active(self) -> int:
        return self.count(ACTIVE)

    @property
    def paused(self) -> int:
        return self.counts.get(RunState.PAUSED, 0)

    @property
    def failed(self) -> int:
        return self.count(RETRYABLE)

    @property
    def unfinished(self) -> int:
        return self.total - self.count(TERMINAL)

    @property
    def share(self) -> float:
        return self.done / self.total if self.total else 0.0

    @property
    def percent(self) -> int:
        """Whole percent of the work, rounded down; 100 only when every run has finished."""
        return 100 if self.total and self.finished == self.total else min(99, int(self.share * 100))

    @property
    def percent_words(self) -> str:
        return f"{self.percent} %" if self.percent else whole_percent(self.done, self.total)

    @property
    def state(self) -> str:
        return next((state for state in ORDER if self.counts.get(state)), RunState.QUEUED)

    @property
    def word(self) -> str:
        return "Stopped by errors" if self.state == RunState.ERRORED else str(RunState(self.state).label)

    @property
    def outcome(self) -> str:
        """'2 of 6 runs finished, 4 cancelled'."""
        finished = f"{self.finished:,} of {counted(self.total, 'run,runs')} finished"
        return f"{finished}, {self.others}" if self.others else finished

    @property
    def others(self) -> str:
        """'3 errored, 1 cancelled': all runs that are not finished."""
        return ", ".join(f"{number:,} {label}" for label, number in self.by_state if label != RunState.FINISHED)

    @property
    def summary(self) -> str:
        """'Cancelled: 2 of 6 runs finished, 4 cancelled'."""
        return f"{self.word}: {self.outcome}" if self.total else "No runs"

    @property
    def cost(self) -> str:
        """'$1.20', '2 runs without a price', '$1.20 and 2 runs without a price'."""
        if not self.unpriced:
            return money(self.cost_nano)
        known = f"{money(self.cost_nano)} and " if self.cost_nano else ""
        return f"{known}{counted(self.unpriced, 'run,runs')} without a price"

    @property
    def by_state(self) -> list[tuple[str, int]]:
        """The label and number of runs of each state, for a sentence."""
        return [(RunState(state).label.lower(), self.counts[state]) for state in ORDER if self.counts.get(state)]


def progress_of(experiment_ids: Iterable[int]) -> dict[int, Progress]:
    """The progress of each experiment, in one query."""
    result = {experiment_id: Progress() for experiment_id in experiment_ids}
    played = Cast(F("periods_played"), FloatField()) / F("periods")
    runs = Run.objects.filter(experiment__in=list(result)).order_by().values_list("experiment", "state")
    sums = runs.annotate(
        total=Count("id"),
        done=Sum(Case(When(state=RunState.FINISHED, then=Value(1.0)), default=played, output_field=FloatField())),
        played=Sum("periods_played"),
        cost=Sum("cost_nano"),
        unpriced=Count("id", filter=UNPRICED),
    )
    for experiment_id, state, *values in sums:
        result[experiment_id].add(state, *values)
    return result
