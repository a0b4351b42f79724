"""Changes runs from outside their worker, by conditional updates, so that a person and a worker never overwrite each other.

A run without a lease changes at once. For a leased run we record a stop request; the worker applies it before its next
call.
"""

from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from infrastructure.transactions import write_transaction
from runs.events import emit_runs_stopped
from runs.models import PauseCause, Run, RunState
from runs.models.runs import TRANSITIONS, StopRequest

ROWS_AT_ONCE = 500


def pause(runs: QuerySet[Run], reason: str, cause: PauseCause) -> int:
    """Pause runs or request it. Returns how many."""
    with write_transaction():
        idle = change_idle(runs, "pause", reason=reason, pause_cause=cause, wake_at=None)
        emit_runs_stopped(list(idle))
        leased = runs.filter(state=RunState.RUNNING, stop_request=StopRequest.NONE).update(
            stop_request=StopRequest.PAUSE, reason=reason, pause_cause=cause
        )
    return len(idle) + leased


def change_idle(runs: QuerySet[Run], action: str, **values: Any) -> dict[int, str]:
    """Apply an action to those of the runs that may take it and are not running, in the caller's transaction.

    Returns the state that each changed run had before.
    """
    states = [state for state in TRANSITIONS[action].before if state != RunState.RUNNING]
    rows = runs.filter(state__in=states).select_for_update(of=("self",)).order_by("id")
    before = dict(rows.values_list("id", "state"))
    numbers = list(before)
    for first in range(0, len(numbers), ROWS_AT_ONCE):
        batch = Run.objects.filter(pk__in=numbers[first : first + ROWS_AT_ONCE])
        batch.update(state=TRANSITIONS[action].after, **values)
    return before


def runs_of_key(endpoint_id: int, model: str = "") -> QuerySet[Run]:
    """The runs in which a model of this endpoint plays, or only this model of it."""
    seats = Q()
    for seat in ("agent", "rival"):
        seats |= Q(**{f"{seat}__endpoint": endpoint_id} | ({f"{seat}__model": model} if model else {}))
    return Run.objects.filter(seats)
