"""Progress of experiments: runs by state, share of the work, cost and a derived state."""

from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Case, Count, F, FloatField, Q, Sum, Value, When
from django.db.models.functions import Cast

from infrastructure.text.formats import counted, money, whole_percent
from runs.models import Run, RunState
from runs.models.runs import ACTIVE, NOT_PLAYED, RETRYABLE, TERMINAL
from runs.models.states import SHOWN, UNNEEDED, ShownState, StateGroup

UNPRICED = Q(queries__gt=0, agent__baseline="") & (Q(agent__input_price=None) | Q(agent__output_price=None))
"""Runs with model calls whose agent has no price."""

_progress = Cast(F("periods_played"), FloatField()) / F("periods")
SUMS = {
    "runs": Count("id"),
    "done": Sum(Case(When(state=RunState.FINISHED, then=Value(1.0)), default=_progress, output_field=FloatField())),
    "played": Sum("periods_played"),
    "cost": Sum("cost_nano"),
    "thinking": Sum("thinking_nano"),
    "unpriced": Count("id", filter=UNPRICED),
    "not_played": Count("id", filter=NOT_PLAYED),
}
"""Sums over the runs of an experiment in one state, in the order of the arguments of Progress.add."""

SUMMED = ("done", "periods_played", "cost_nano", "thinking_nano", "unpriced", "not_played")
"""Fields of Progress for the SUMS after the number of runs."""


@dataclass
class Progress:
    """The progress of an experiment.

    counts: runs by state; done: finished work as a number of runs; cost_nano: billionths of a dollar
    thinking_nano: the part of the cost that thinking causes
    unpriced: runs with calls of an agent without a price
    not_played: cancelled runs that a comparison in stages did not need (runs.models.runs.NOT_PLAYED)
    """

    counts: dict[str, int] = field(default_factory=dict)
    done: float = 0.0
    periods_played: int = 0
    cost_nano: int = 0
    thinking_nano: int = 0
    unpriced: int = 0
    not_played: int = 0

    def add(self, state: str, runs: int, *sums: float) -> None:
        """Add runs in one state. sums: the first of SUMMED; the others are 0"""
        self.counts[state] = self.counts.get(state, 0) + runs
        for name, value in zip(SUMMED, sums, strict=False):
            setattr(self, name, getattr(self, name) + value)

    def count(self, states: Iterable[str]) -> int:
        return sum(self.counts.get(state, 0) for state in states)

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def needed(self) -> int:
        return self.total - self.not_played

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
        """The share of the needed runs' work that is done, from 0 to 1."""
        return self.done / self.needed if self.needed else 0.0

    @property
    def percent(self) -> int:
        """Whole percent of the work done, rounded down. 100 only if every needed run has finished."""
        return 100 if self.needed and self.finished == self.needed else min(99, int(self.share * 100))

    @property
    def percent_words(self) -> str:
        return f"{self.percent} %" if self.percent else whole_percent(self.done, self.needed)

    @property
    def state(self) -> str:
        return next((state for state in SHOWN if self._needed_in(state)), RunState.QUEUED)

    @property
    def word(self) -> str:
        """The state in a word. A comparison that was decided early has finished."""
        return str(SHOWN[self.state].group.label)

    @property
    def outcome(self) -> str:
        """Finished runs in words: '2 of 6 runs finished, 4 stopped (cancelled)'."""
        finished = f"{self.finished:,} of {counted(self.total, 'run,runs')} finished"
        return f"{finished}, {self.others}" if self.others else finished

    @property
    def others(self) -> str:
        """All runs that are not finished, in words: '2 paused, 12 stopped (3 errored, 1 cancelled, 8 not played)'."""
        return ", ".join(
            f"{number:,} {group}{self._reasons(group)}"
            for group, number in self.by_group
            if number and group != StateGroup.FINISHED
        )

    def _reasons(self, group: str) -> str:
        """The reasons in brackets, with their numbers of runs if the group has several states."""
        rows = [(shown, number) for _, shown, number in self.by_state if shown.group == group]
        if len(rows) == 1:
            return f" ({rows[0][0].reason})" if rows[0][0].reason else ""
        return f" ({', '.join(f'{number:,} {shown.reason}' for shown, number in rows if shown.reason)})"

    @property
    def summary(self) -> str:
        """State and runs in words, such as 'Finished: 16 of 24 runs finished, 8 stopped (not played)'."""
        return f"{self.word}: {self.outcome}" if self.total else "No runs"

    @property
    def cost(self) -> str:
        """The cost in words: '$1.20', '2 runs without a price', '$1.20 and 2 runs without a price'."""
        if not self.unpriced:
            return money(self.cost_nano)
        amount = f"{money(self.cost_nano)} and " if self.cost_nano else ""
        return f"{amount}{counted(self.unpriced, 'run,runs')} without a price"

    @property
    def by_state(self) -> list[tuple[str, ShownState, int]]:
        """(stored state, how it is shown, number of runs) for each state that has runs."""
        rows = [(state, shown, self._needed_in(state)) for state, shown in SHOWN.items()]
        rows.append((RunState.CANCELLED, UNNEEDED, self.not_played))
        return [row for row in rows if row[-1]]

    @property
    def by_group(self) -> list[tuple[str, int]]:
        """(group, number of runs) of each StateGroup. The numbers add up to the total."""
        rows = [(shown.group, number) for _, shown, number in self.by_state]
        return [(group, sum(number for other, number in rows if other == group)) for group in StateGroup]

    def _needed_in(self, state: str) -> int:
        return self.counts.get(state, 0) - (self.not_played if state == RunState.CANCELLED else 0)


def progress_of(experiment_ids: Iterable[int]) -> dict[int, Progress]:
    """The progress of each experiment, in one query."""
    result = {experiment_id: Progress() for experiment_id in experiment_ids}
    runs = Run.objects.filter(experiment__in=list(result)).order_by().values_list("experiment", "state")
    for experiment_id, state, *values in runs.annotate(**SUMS):
        result[experiment_id].add(state, *values)
    return result
