"""Pause, resume, cancel, retry. Conditional updates, so that a person and a worker never overwrite each other.

A run nobody holds changes state at once; of one a worker holds it is wished, and the worker obeys between two model calls.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from accounts.models import User
from runs.engine.writing import write_transaction
from runs.models import Experiment, Run, RunState
from runs.models.runs import RETRYABLE, Wish
from runs.tasks import wake

IDLE = (RunState.QUEUED, RunState.WAITING)


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


def _name(user: User | None) -> str:
    return user.get_full_name() or user.username if user else "the command line"


def _pause(runs: QuerySet[Run], user: User | None) -> int:
    reason = f"Paused by {_name(user)}."
    with write_transaction():
        idle = runs.filter(state__in=IDLE).update(state=RunState.PAUSED, reason=reason, wake_at=None)
        held = runs.filter(state=RunState.RUNNING, wish=Wish.NONE).update(wish=Wish.PAUSE, reason=reason)
    return idle + held


def _cancel(runs: QuerySet[Run], user: User | None) -> int:
    reason = f"Cancelled by {_name(user)}."
    with write_transaction():
        idle = runs.filter(state__in=(*IDLE, RunState.PAUSED, *RETRYABLE)).update(
            state=RunState.CANCELLED, reason=reason, wake_at=None, ended_at=Now()
        )
        held = runs.filter(state=RunState.RUNNING).update(wish=Wish.CANCEL, reason=reason)
    return idle + held


def _requeue(runs: QuerySet[Run], states: Sequence[RunState]) -> int:
    with write_transaction():
        changed = runs.filter(state__in=states).update(
            state=RunState.QUEUED, reason="", wish=Wish.NONE, wake_at=None, ended_at=None, failed_sends=0
        )
        # A pause that the worker has not met yet is taken back by resuming.
        if RunState.PAUSED in states:
            changed += runs.filter(state=RunState.RUNNING, wish=Wish.PAUSE).update(wish=Wish.NONE, reason="")
    transaction.on_commit(lambda: wake(changed))
    return changed
