"""Pause and cancel runs from outside their worker. Conditional updates prevent conflicts with the worker.

A run without a lease changes at once. The worker of a leased run applies the stop request before its next call.
"""

from functools import reduce
from operator import or_

from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from infrastructure.transactions import lock_rows, write_transaction
from runs.events import runs_cancelling, runs_stopped
from runs.models import PauseCause, Run, RunState
from runs.models.runs import PLAYED_TO_THE_END, RETRYABLE, TRANSITIONS, StopRequest

ROWS_AT_ONCE = 500


def pause(runs: QuerySet[Run], reason: str, cause: PauseCause) -> int:
    """Pause runs; for leased runs, request it. Returns the number of runs."""
    return _stop(runs, StopRequest.PAUSE, {"reason": reason, "pause_cause": cause}, {})


def cancel(runs: QuerySet[Run], reason: str, cause: str = "") -> int:
    """Cancel runs; for leased runs, request it. Returns the number of runs.

    cause: PauseCause.STAGE for runs that their comparison in stages dropped, else empty
    """
    return _stop(runs, StopRequest.CANCEL, {"reason": reason}, {"pause_cause": cause, "ended_at": Now()})


def _stop(runs: QuerySet[Run], action: StopRequest, values: dict[str, object], idle_values: dict[str, object]) -> int:
    """Stop runs, or request it for those with a lease. Returns the number of runs.

    values: columns to set in all of them
    idle_values: further columns to set in runs without a lease
    """
    states, after = TRANSITIONS[action]
    stoppable = runs.filter(state__in=states).exclude(PLAYED_TO_THE_END)
    with write_transaction():
        if action == StopRequest.CANCEL:
            runs_cancelling(stoppable)
        locked = lock_rows(stoppable)
        leased = locked.filter(state=RunState.RUNNING)
        if action == StopRequest.PAUSE:
            leased = leased.filter(stop_request=StopRequest.NONE)
        before = dict(locked.exclude(state=RunState.RUNNING).values_list("id", "state"))
        numbers = list(before)
        for first in range(0, len(numbers), ROWS_AT_ONCE):
            batch = Run.with_deleted.filter(pk__in=numbers[first : first + ROWS_AT_ONCE])
            batch.update(state=after, wake_at=None, **values, **idle_values)
        # Listeners already know that stalled and errored runs have stopped.
        runs_stopped([run_id for run_id, state in before.items() if state not in RETRYABLE])
        return len(before) + leased.update(stop_request=action, **values)


def runs_of_key(endpoint_id: int, model: str = "") -> QuerySet[Run]:
    """The runs in which a model of this endpoint plays: any model, or only `model`."""
    agent = {"endpoint": endpoint_id} | ({"model": model} if model else {})
    seats = (Q(**{f"{seat}__{column}": value for column, value in agent.items()}) for seat in ("agent", "rival"))
    return Run.objects.filter(reduce(or_, seats))
