"""Runs of an experiment that wait for their stage: resume or cancel them."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from infrastructure.transactions import lock_rows, wake
from runs.engine.requests import cancel
from runs.models import Experiment, PauseCause, Run
from runs.models.runs import TRANSITIONS
from runs.tasks import ADVANCE


def waiting_runs(experiment_id: int) -> QuerySet[Run]:
    """The runs of an experiment that wait for their stage."""
    before, _ = TRANSITIONS["resume"]
    return Run.objects.filter(experiment=experiment_id, state__in=before, pause_cause=PauseCause.STAGE)


def stage_resume(*, experiment: Experiment, seeds: Sequence[int] | None = None) -> int:
    """Queue the waiting runs of these seeds, or all of them, in the caller's transaction. Returns how many."""
    runs = waiting_runs(experiment.pk)
    if seeds is not None:
        runs = runs.filter(instance__seed__in=seeds)
    _, after = TRANSITIONS["resume"]
    changed = lock_rows(runs).update(state=after, wake_at=Now(), reason="", pause_cause="")
    transaction.on_commit(lambda: wake(ADVANCE, changed))
    return changed


def stages_cancel(*, experiment: Experiment, reason: str) -> int:
    """Cancel all waiting runs. Returns how many. Their pause cause stays, so that pages and events call them not played."""
    return cancel(waiting_runs(experiment.pk), reason, PauseCause.STAGE)
