"""Pause, resume, cancel, retry: a run, an experiment, or all runs that use a key. See runs.engine.requests."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

import limiter
from accounts.models import Endpoint, User
from infrastructure.transactions import write_transaction
from infrastructure.wake_ups import wake
from runs.engine.requests import IDLE, change_locked, pause, runs_of_key
from runs.events import emit_runs_stopped
from runs.models import Experiment, PauseCause, Run, RunState
from runs.models.runs import RETRYABLE, Wish
from runs.tasks import ADVANCE


def experiment_pause(*, experiment: Experiment, user: User) -> int:
    return _pause(Run.objects.filter(experiment=experiment), user)


def experiment_resume(*, experiment: Experiment, user: User) -> int:
    return _requeue(Run.objects.filter(experiment=experiment), (RunState.PAUSED,))


def experiment_cancel(*, experiment: Experiment, user: User) -> int:
    return _cancel(Run.objects.filter(experiment=experiment), user)


def experiment_retry(*, experiment: Experiment, user: User) -> int:
    return _requeue(Run.objects.filter(experiment=experiment), RETRYABLE)


def run_pause(*, run: Run, user: User) -> bool:
    return bool(_pause(Run.objects.filter(pk=run.pk), user))


def run_resume(*, run: Run, user: User) -> bool:
    return bool(_requeue(Run.objects.filter(pk=run.pk), (RunState.PAUSED,)))


def run_cancel(*, run: Run, user: User) -> bool:
    return bool(_cancel(Run.objects.filter(pk=run.pk), user))


def run_retry(*, run: Run, user: User) -> bool:
    return bool(_requeue(Run.objects.filter(pk=run.pk), RETRYABLE))


def endpoint_pause(*, endpoint: Endpoint, user: User) -> int:
    return _pause(runs_of_key(endpoint.pk), user)


def endpoint_resume(*, endpoint: Endpoint, user: User) -> int:
    """Resume what uses this key, whatever paused it, and let the next call try the endpoint at once."""
    limiter.reset(endpoint.pk)
    return _requeue(runs_of_key(endpoint.pk), (RunState.PAUSED,))


def endpoint_cancel(*, endpoint: Endpoint, user: User) -> int:
    return _cancel(runs_of_key(endpoint.pk), user)


def endpoint_retry(*, endpoint: Endpoint, user: User) -> int:
    return _requeue(runs_of_key(endpoint.pk), RETRYABLE)


def resume_paid(runs: QuerySet[Run]) -> int:
    """Resume those of the runs that a budget paused, after it was raised."""
    return _requeue(runs.filter(pause_cause=PauseCause.BUDGET), (RunState.PAUSED,))


def _name(user: User | None) -> str:
    return user.get_full_name() or user.username if user else "the command line"


def _pause(runs: QuerySet[Run], user: User | None) -> int:
    return pause(runs, f"Paused by {_name(user)}.", PauseCause.PERSON)


def _cancel(runs: QuerySet[Run], user: User | None) -> int:
    reason = f"Cancelled by {_name(user)}."
    ended = {"state": RunState.CANCELLED, "reason": reason, "pause_cause": "", "wake_at": None, "ended_at": Now()}
    with write_transaction():
        idle = change_locked(runs, (*IDLE, RunState.PAUSED, *RETRYABLE), **ended)
        # Those that had stalled or failed were told of when they did.
        emit_runs_stopped([run_id for run_id, before in idle.items() if before not in RETRYABLE])
        held = runs.filter(state=RunState.RUNNING).update(wish=Wish.CANCEL, reason=reason)
    return len(idle) + held


def _requeue(runs: QuerySet[Run], states: Sequence[RunState]) -> int:
    fresh = {"reason": "", "pause_cause": "", "wish": Wish.NONE}
    with write_transaction():
        # The time tells pages since when a worker could have taken them.
        changed = runs.filter(state__in=states).update(state=RunState.QUEUED, wake_at=Now(), ended_at=None, **fresh)
        # A pause that the worker has not met yet is taken back by resuming.
        if RunState.PAUSED in states:
            changed += runs.filter(state=RunState.RUNNING, wish=Wish.PAUSE).update(**fresh)
    transaction.on_commit(lambda: wake(ADVANCE, changed))
    return changed
