"""Wait for experiments and print their progress, for the command line."""

import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from celery import current_app
from django.conf import settings
from django.db import connection
from django.db.models import Sum

from infrastructure import broker
from infrastructure.text.formats import counted
from runs.models import Experiment, PauseCause, Run, RunState
from runs.models.runs import ACTIVE, RETRYABLE
from runs.selectors.progress import progress_of
from runs.tasks import advance_one

PING_SECONDS = 1.0


def run_records(experiment: Experiment) -> list[dict[str, Any]]:
    """One record for each run, in the form that the launch command prints."""
    rows = (
        Run.objects.filter(experiment=experiment)
        .select_related("instance", "agent")
        .prefetch_related("series")
        .order_by("id")
    )
    return [
        {
            "id": run.pk,
            "environment": run.instance.environment,
            "difficulty": run.instance.difficulty,
            "seed": run.instance.seed,
            "agent": run.agent.slug,
            "variant": run.variant,
            "state": run.state,
            "score": run.score,
            "metrics": run.all_metrics,
            "periods": run.periods_played,
            "error": run.reason,
        }
        for run in rows.defer("instance__parameters", "instance__hidden", "instance__reference")
    ]


def worker_is_up() -> bool:
    return broker.answers() and bool(current_app.control.ping(timeout=PING_SECONDS))


def is_active(experiment: Experiment) -> bool:
    """Whether a run is active, or the next stage is about to start: runs wait for it, and no stopped run delays it."""
    states = set(Run.objects.filter(experiment=experiment).values_list("state", "pause_cause").distinct())
    held_up = any(
        state in RETRYABLE or (state == RunState.PAUSED and cause != PauseCause.STAGE) for state, cause in states
    )
    waits_for_stage = (RunState.PAUSED, PauseCause.STAGE) in states and not held_up
    return waits_for_stage or any(state in ACTIVE for state, _ in states)


def wait_for(experiment: Experiment) -> None:
    """Block until every run has ended or waits for a person."""
    while is_active(experiment):
        time.sleep(0.5)


def play_here(experiment: Experiment) -> None:
    """Play an experiment's runs in this process, without a worker."""

    def work() -> None:
        while is_active(experiment):
            if not advance_one():
                time.sleep(0.2)
        connection.close()

    with ThreadPoolExecutor(settings.WORKER_THREADS, thread_name_prefix="play") as pool:
        for future in [pool.submit(work) for _ in range(min(settings.WORKER_THREADS, experiment.runs.count()))]:
            future.result()


def progress_lines(experiment: Experiment) -> Iterator[str]:
    """Yield a line after each change, until no run is active."""
    last = ""
    periods = Run.objects.filter(experiment=experiment).aggregate(total=Sum("periods"))["total"] or 0
    while True:
        active = is_active(experiment)
        progress = progress_of([experiment.pk])[experiment.pk]
        line = f"{progress.summary}; {progress.periods_played:,} of {counted(periods, 'period,periods')} played"
        if line != last:
            yield line
            last = line
        if not active:
            return
        time.sleep(1)
