"""States of runs, and how pages name them: a few disjoint groups, with the reason where a group has several states."""

from typing import NamedTuple

from django.db import models


class RunState(models.TextChoices):
    """States of a run. `queued` and `waiting` runs are picked up by workers; an `open` run is played by an outside agent or
    a person; `paused`, `stalled` and `errored` ones go on when a person says so; `finished` and `cancelled` ones never."""

    # The REST schema shows the docstring. TRANSITIONS lists every legal change.

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    WAITING = "waiting", "Waiting"
    OPEN = "open", "In play"
    PAUSED = "paused", "Paused"
    FINISHED = "finished", "Finished"
    STALLED = "stalled", "Stalled"
    ERRORED = "errored", "Errored"
    CANCELLED = "cancelled", "Cancelled"


class StateGroup(models.TextChoices):
    """What a reader sees: every run is in exactly one group."""

    RUNNING = "running", "Running"
    QUEUED = "queued", "Queued"
    PAUSED = "paused", "Paused"
    STOPPED = "stopped", "Stopped"
    FINISHED = "finished", "Finished"


class ShownState(NamedTuple):
    """How pages name a stored state. colour: CSS class; reason: says more where the group has several states"""

    group: StateGroup
    colour: str
    reason: str = ""

    @property
    def label(self) -> str:
        """'Queued', 'Stopped: cancelled'."""
        return f"{self.group.label}: {self.reason}" if self.reason else str(self.group.label)

    @property
    def short(self) -> str:
        """The most exact word: 'queued', 'cancelled'."""
        return self.reason or str(self.group)


SHOWN: dict[str, ShownState] = {
    RunState.RUNNING: ShownState(StateGroup.RUNNING, "running"),
    RunState.OPEN: ShownState(StateGroup.RUNNING, "open", "in play"),
    RunState.WAITING: ShownState(StateGroup.QUEUED, "waiting", "waiting"),
    RunState.QUEUED: ShownState(StateGroup.QUEUED, "queued"),
    RunState.PAUSED: ShownState(StateGroup.PAUSED, "paused"),
    RunState.ERRORED: ShownState(StateGroup.STOPPED, "errored", "errored"),
    RunState.STALLED: ShownState(StateGroup.STOPPED, "stalled", "stalled"),
    RunState.CANCELLED: ShownState(StateGroup.STOPPED, "cancelled", "cancelled"),
    RunState.FINISHED: ShownState(StateGroup.FINISHED, "finished"),
}
"""How each stored state is shown, by precedence: an experiment is in the first state that one of its needed runs has."""

UNNEEDED = ShownState(StateGroup.STOPPED, "cancelled", "not played")
"""Runs that a comparison in stages did not need, see NOT_PLAYED."""

STATES_OF: dict[str, tuple[str, ...]] = {
    group: tuple(state for state, shown in SHOWN.items() if shown.group == group) for group in StateGroup
}
"""The stored states of each group."""
