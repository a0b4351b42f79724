"""Changing the state of runs that may be in play. Conditional updates, so that a person and a worker never overwrite each
other: a run nobody holds changes at once; of one a worker holds it is wished, and the worker obeys before its next call.
"""

from __future__ import annotations

from django.db.models import Q, QuerySet

from runs.engine.writing import write_transaction
from runs.models import PauseCause, Run, RunState
from runs.models.runs import Wish

IDLE = (RunState.QUEUED, RunState.WAITING)


def pause(runs: QuerySet[Run], reason: str, cause: PauseCause) -> int:
    """The number of runs that are paused now or will be."""
    with write_transaction():
        idle = runs.filter(state__in=IDLE).update(state=RunState.PAUSED, reason=reason, pause_cause=cause, wake_at=None)
        held = runs.filter(state=RunState.RUNNING, wish=Wish.NONE).update(
            wish=Wish.PAUSE, reason=reason, pause_cause=cause
        )
    return idle + held


def runs_of_key(endpoint_id: int, model: str = "") -> QuerySet[Run]:
    """The runs in which a model plays through this endpoint, or just this model of it."""
    seats = (Q(**{f"{seat}__endpoint": endpoint_id} | ({f"{seat}__model": model} if model else {})) for seat in SEATS)
    return Run.objects.filter(next(seats) | next(seats))


def pause_runs_of_key(endpoint_id: int, reason: str, *, model: str = "", but: int) -> int:
    return pause(runs_of_key(endpoint_id, model).exclude(pk=but), reason, PauseCause.KEY)


SEATS = ("agent", "rival")
