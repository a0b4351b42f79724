"""Pause, resume, cancel and retry runs. Resume or cancel runs that wait for their stage."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q, QuerySet
from django.db.models.functions import Now

from accounts.models import Endpoint, User
from infrastructure import limiter
from infrastructure.transactions import lock_rows, wake, write_transaction
from runs.engine.requests import cancel, pause, runs_of_key
from runs.models import Experiment, PauseCause, Run, RunState
from runs.models.runs import TRANSITIONS, StopRequest
from runs.tasks import ADVANCE


def runs_control(*, runs: QuerySet[Run], action: str, user: User | None) -> int:
    """Apply an action to those of the runs for which it is legal. Returns the number of changed runs.

    Runs that wait for their stage are not resumed; `stage_resume` does that.

    action: 'pause', 'resume', 'cancel' or 'retry'; user: None for the command line
    """
    by = f"by {user.get_full_name() or user.username if user else 'the command line'}."
    if action == "pause":
        return pause(runs, f"Paused {by}", PauseCause.PERSON)
    if action == "cancel":
        return cancel(runs, f"Cancelled {by}")
    if action == "resume":
        runs = runs.exclude(pause_cause=PauseCause.STAGE)
    before, after = TRANSITIONS[action]
    fresh = {"reason": "", "pause_cause": "", "stop_request": StopRequest.NONE}
    with write_transaction():
        locked = lock_rows(runs.filter(state__in=(*before, RunState.RUNNING)))
        # Pages read from `wake_at` when the run became due.
        changed = locked.filter(state__in=before).update(state=after, wake_at=Now(), ended_at=None, **fresh)
        if action == "resume":  # also withdraws a pause request that the worker has not applied yet
            changed += locked.filter(state=RunState.RUNNING, stop_request=StopRequest.PAUSE).update(**fresh)
    transaction.on_commit(lambda: wake(ADVANCE, changed))
    return changed


def endpoint_control(*, endpoint: Endpoint, action: str, user: User | None) -> int:
    """Control all runs that use an endpoint. Resuming also resets its rate limits, so that the next call is sent at once."""
    if action == "resume":
        limiter.reset(endpoint.pk)
    return runs_control(runs=runs_of_key(endpoint.pk), action=action, user=user)


def waiting_runs(experiment_id: int) -> QuerySet[Run]:
    """The runs of an experiment that wait for their stage."""
    states = TRANSITIONS["resume"].before
    return Run.objects.filter(experiment=experiment_id, state__in=states, pause_cause=PauseCause.STAGE)


def stage_resume(*, experiment: Experiment, seeds: Sequence[int] | None = None) -> int:
    """Queue the runs of these seeds, or of all, that wait for their stage. Returns their number.

    Must be called in a transaction.
    """
    of_seeds = Q() if seeds is None else Q(instance__seed__in=seeds)
    runs = waiting_runs(experiment.pk).filter(of_seeds)
    changed = lock_rows(runs).update(state=TRANSITIONS["resume"].after, wake_at=Now(), reason="", pause_cause="")
    transaction.on_commit(lambda: wake(ADVANCE, changed))
    return changed


def stages_cancel(*, experiment: Experiment, reason: str) -> int:
    """Cancel the runs that wait for their stage. Returns their number. They keep the cause STAGE and count as not played."""
    return cancel(waiting_runs(experiment.pk), reason, PauseCause.STAGE)
