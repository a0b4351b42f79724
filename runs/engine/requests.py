"""Changing the state of runs that may be in play. Conditional updates, so that a person and a worker never overwrite each
other: a run nobody holds changes at once; of one a worker holds it is wished, and the worker obeys before its next call.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet

from infrastructure.transactions import write_transaction
from runs.events import emit_runs_stopped
from runs.models import PauseCause, Run, RunState
from runs.models.runs import Wish

IDLE = (RunState.QUEUED, RunState.WAITING)
ROWS_AT_ONCE = 500


def pause(runs: QuerySet[Run], reason: str, cause: PauseCause) -> int:
    """The number of runs that are paused now or will be."""
    with write_transaction():
        idle = change_locked(runs, IDLE, state=RunState.PAUSED, reason=reason, pause_cause=cause, wake_at=None)
        emit_runs_stopped(list(idle))
        held = runs.filter(state=RunState.RUNNING, wish=Wish.NONE).update(
            wish=Wish.PAUSE, reason=reason, pause_cause=cause
        )
    return len(idle) + held


def change_locked(runs: QuerySet[Run], states: Sequence[RunState], **values: Any) -> dict[int, str]:
    """Change those of the runs that are in one of the states, in the caller's transaction; the state each had before."""
    rows = runs.filter(state__in=states).select_for_update(of=("self",)).order_by("id")
    before = dict(rows.values_list("id", "state"))
    numbers = list(before)
    for first in range(0, len(numbers), ROWS_AT_ONCE):
        Run.objects.filter(pk__in=numbers[first : first + ROWS_AT_ONCE]).update(**values)
    return before


def runs_of_key(endpoint_id: int, model: str = "") -> QuerySet[Run]:
    """The runs in which a model plays through this endpoint, or just this model of it."""
    seats = (Q(**{f"{seat}__endpoint": endpoint_id} | ({f"{seat}__model": model} if model else {})) for seat in SEATS)
    return Run.objects.filter(next(seats) | next(seats))


def pause_runs_of_key(endpoint_id: int, reason: str, cause: PauseCause, *, model: str = "", but: int) -> int:
    return pause(runs_of_key(endpoint_id, model).exclude(pk=but), reason, cause)


SEATS = ("agent", "rival")
