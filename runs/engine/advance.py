"""Advancing a run by a slice of time. The one place that turns exceptions into states."""

from __future__ import annotations

import logging
import random
import time
from datetime import timedelta

from django.conf import settings
from django.db import OperationalError
from django.db.models.functions import Now

from agents.errors import ProviderFatal, ProviderRetry
from agents.loop import Stalled
from agents.notes import Notes
from environments.survey import Survey
from runs.engine import lease
from runs.engine.journal import close_orphans
from runs.engine.lease import LeaseLost
from runs.engine.period import Interrupted, OverBudget, check_wish, commit, play
from runs.engine.reference import BeingSolved, ensure_reference
from runs.engine.summaries import summary
from runs.engine.survey import play_survey
from runs.models import Note, Run, RunState
from runs.rebuilding import rebuild

logger = logging.getLogger(__name__)

MAX_SENDS = 8
"""Sends of one exchange before the run pauses and waits for a person."""

FIRST_DELAY_SECONDS = 2.0
LONGEST_DELAY_SECONDS = 300.0


def advance(run_id: int) -> bool:
    """Play a run for a slice of time, if its lease is free. Returns whether it was this worker that played it."""
    fence = lease.take(run_id)
    if fence is None:
        return False
    try:
        _advance_held(run_id, fence)
    except LeaseLost:
        logger.info("Run %d is another worker's now.", run_id)
    finally:
        lease.forget(run_id, fence)
    return True


def _advance_held(run_id: int, fence: int) -> None:
    try:
        if not _play_slice(run_id, fence):
            lease.release(run_id, fence, RunState.QUEUED)
    except LeaseLost:
        raise
    except Interrupted:
        lease.release(run_id, fence, RunState.QUEUED)
    except BeingSolved as wait:
        reason = "The optimum of its instance is being computed."
        lease.release(run_id, fence, RunState.WAITING, reason=reason, wake_at=Now() + timedelta(seconds=wait.seconds))
    except Stalled as stall:
        lease.release(run_id, fence, RunState.STALLED, reason=str(stall))
    except ProviderRetry as error:
        _wait_for_provider(run_id, fence, error)
    except OperationalError:
        # The database is away or full. The lease runs out by itself, and whoever takes it next goes on from the journal.
        logger.warning("Run %d waits for the database.", run_id, exc_info=True)
    except ProviderFatal as error:
        lease.release(run_id, fence, RunState.PAUSED, reason=error.reason)
    except OverBudget as stop:
        lease.release(run_id, fence, RunState.PAUSED, reason=str(stop))
    except Exception as error:  # a bug of ours must show as one, never as a low score
        logger.exception("Run %d failed.", run_id)
        reason = f"A fault in EconEvals stopped this run: {type(error).__name__}: {error}"
        lease.release(run_id, fence, RunState.ERRORED, reason=reason[:1000])


def _play_slice(run_id: int, fence: int) -> bool:
    """Play until the run ends or the slice does; True when it ended, its lease then given back with the last period."""
    deadline = time.monotonic() + settings.SLICE_SECONDS
    run = Run.objects.select_related("instance", "agent__endpoint__organization", "rival__endpoint__organization").get(
        pk=run_id
    )
    check_wish(run_id, fence)
    ensure_reference(run.instance)
    close_orphans(run_id, fence)
    environment = rebuild(run)
    written = Note.objects.filter(run=run)
    notes = {
        seat: Notes.of(written.filter(seat=seat).values_list("period_index", "text")) for seat in environment.seats
    }
    if isinstance(environment, Survey) and not environment.finished:
        return play_survey(run, fence, environment, deadline)
    while not environment.finished:
        played = play(run, fence, environment, notes)
        commit(run, fence, played, summary(run, environment))
        if environment.finished:
            return True
        check_wish(run_id, fence)
        if time.monotonic() >= deadline:
            return False
    # Every period was there already: an earlier life stopped between the last period and nothing, so only say it ended.
    lease.update(run_id, fence, **summary(run, environment))
    return True


def _wait_for_provider(run_id: int, fence: int, error: ProviderRetry) -> None:
    failed = Run.objects.values_list("failed_sends", flat=True).get(pk=run_id) + 1
    if failed >= MAX_SENDS:
        reason = f"Paused after {failed} attempts: {error.reason}"
        lease.release(run_id, fence, RunState.PAUSED, reason=reason, failed_sends=0)
        return
    delay = max(error.retry_after or 0.0, retry_delay(failed))
    lease.release(
        run_id,
        fence,
        RunState.WAITING,
        reason=error.reason,
        failed_sends=failed,
        wake_at=Now() + timedelta(seconds=delay),
    )


def retry_delay(failed: int) -> float:
    """Seconds to wait after so many failures in a row: doubling, with up to half of it random so that runs spread out."""
    full = min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (failed - 1))
    return full * random.uniform(0.5, 1.0)
