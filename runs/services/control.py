"""Pause, resume, cancel and retry a run, an experiment, or all runs that use an endpoint."""

from __future__ import annotations

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

import limiter
from accounts.models import Endpoint, User
from infrastructure.transactions import write_transaction
from infrastructure.wake_ups import wake
from runs.engine.requests import change_idle, pause, runs_of_key
from runs.events import emit_runs_stopped
from runs.models import Experiment, PauseCause, Run, RunState
from runs.models.runs import RETRYABLE, TRANSITIONS, StopRequest
from runs.tasks import ADVANCE


def experiment_pause(*, experiment: Experiment, user: User) -> int:
    return _pause(Run.objects.filter(experiment=experiment), user)


def experiment_resume(*, experiment: Experiment, user: User) -> int:
    return _requeue(Run.objects.filter(experiment=experiment), "resume")


def experiment_cancel(*, experiment: Experiment, user: User) -> int:
    return _cancel(Run.objects.filter(experiment=experiment), user)


def experiment_retry(*, experiment: Experiment, user: User) -> int:
    return _requeue(Run.objects.filter(experiment=experiment), "retry")


def run_pause(*, run: Run, user: User) -> bool:
    return bool(_pause(Run.objects.filter(pk=run.pk), user))


def run_resume(*, run: Run, user: User) -> bool:
    return bool(_requeue(Run.objects.filter(pk=run.pk), "resume"))


def run_cancel(*, run: Run, user: User) -> bool:
    return bool(_cancel(Run.objects.filter(pk=run.pk), user))


def run_retry(*, run: Run, user: User) -> bool:
    return bool(_requeue(Run.objects.filter(pk=run.pk), "retry"))


def endpoint_pause(*, endpoint: Endpoint, user: User) -> int:
    return _pause(runs_of_key(endpoint.pk), user)


def endpoint_resume(*, endpoint: Endpoint, user: User) -> int:
    """Resume all paused runs that use this endpoint, and reset its rate limits so that the next call is sent at once."""
    limiter.reset(endpoint.pk)
    return _requeue(runs_of_key(endpoint.pk), "resume")


def endpoint_cancel(*, endpoint: Endpoint, user: User) -> int:
    return _cancel(runs_of_key(endpoint.pk), user)


def endpoint_retry(*, endpoint: Endpoint, user: User) -> int:
    return _requeue(runs_of_key(endpoint.pk), "retry")


def resume_paid(runs: QuerySet[Run]) -> int:
    """Resume those of the runs that a budget paused, after it was raised."""
    return _requeue(runs.filter(pause_cause=PauseCause.BUDGET), "resume")


def _by(user: User | None) -> str:
    return f"by {user.get_full_name() or user.username if user else 'the command line'}."


def _pause(runs: QuerySet[Run], user: User | None) -> int:
    return pause(runs, f"Paused {_by(user)}", PauseCause.PERSON)


def _cancel(runs: QuerySet[Run], user: User | None) -> int:
    reason = f"Cancelled {_by(user)}"
    ended = {"reason": reason, "pause_cause": "", "wake_at": None, "ended_at": Now()}
    with write_transaction():
        idle = change_idle(runs, "cancel", **ended)
        # Stalled and errored runs were announced when they stopped.
        emit_runs_stopped([run_id for run_id, before in idle.items() if before not in RETRYABLE])
        held = runs.filter(state=RunState.RUNNING).update(stop_request=StopRequest.CANCEL, reason=reason)
    return len(idle) + held


def _requeue(runs: QuerySet[Run], action: str) -> int:
    before, after = TRANSITIONS[action]
    fresh = {"reason": "", "pause_cause": "", "stop_request": StopRequest.NONE}
    with write_transaction():
        # `wake_at` marks since when the run is due; pages use it.
        changed = runs.filter(state__in=before).update(state=after, wake_at=Now(), ended_at=None, **fresh)
        if action == "resume":  # also withdraws a pause request that the worker has not applied yet
            changed += runs.filter(state=RunState.RUNNING, stop_request=StopRequest.PAUSE).update(**fresh)
    transaction.on_commit(lambda: wake(ADVANCE, changed))
    return changed
