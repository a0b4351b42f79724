"""Play a run for a slice of time, then release it in the state that the slice ended with."""

import logging
import random
import time
from functools import lru_cache

from django.conf import settings
from django.db import InterfaceError, OperationalError

from agents.loop import Stalled
from agents.tools import Notes
from environments.survey import Survey
from infrastructure.limiter import Held
from infrastructure.processes.logs import log_ids
from infrastructure.transactions import write_transaction
from runs.engine import heartbeat, lease
from runs.engine.batches.rounds import play_by_batch
from runs.engine.calls import Unsettled
from runs.engine.exceptions import CallRefused, LeaseLost, StopSlice
from runs.engine.journal import PLAYED_WITH, close_orphans
from runs.engine.period import check_stop_request, end_period, play, result_of
from runs.engine.reference import ensure_drawn, ensure_reference
from runs.engine.requests import pause, runs_of_key
from runs.engine.survey import play_survey
from runs.models import Note, PauseCause, Run, RunState
from runs.rebuilding import rebuild

logger = logging.getLogger(__name__)

KEY_WIDE = ("key", "credit", "forbidden")
"""Kinds of refusals that affect every call with the same API key."""


def advance(run_id: int) -> bool:
    """Play a run for a slice of time. Returns False if its lease is not free."""
    if (fence := lease.take(run_id)) is None:
        return False
    play_held(run_id, fence)
    return True


def play_held(run_id: int, fence: int) -> None:
    """Play a leased run for a slice of time and release it."""
    with log_ids(run=run_id):
        _play_held(run_id, fence)


def _play_held(run_id: int, fence: int) -> None:
    heartbeat.start()
    try:
        if stop := _slice(run_id, fence):
            lease.release(
                run_id,
                fence,
                stop.state,
                reason=stop.reason,
                cause=stop.cause,
                wake_at=stop.wake_at,
                is_void=stop.is_void,
                columns=stop.columns,
            )
    except LeaseLost:
        lease.warn_of_late([(run_id, fence)])
        logger.info("Run %d is another worker's now.", run_id)
    except (OperationalError, InterfaceError):
        # The database is away or full. The lease expires, and the next worker goes on from the journal.
        lease.database_was_away()
        logger.warning("Run %d waits for the database.", run_id, exc_info=True)
    finally:
        lease.forget(run_id, fence)


def _slice(run_id: int, fence: int) -> StopSlice | None:
    """Play until the slice ends. Returns the state to release the run in, or None if the run finished."""
    try:
        return None if _play(run_id, fence) else StopSlice()
    except (LeaseLost, OperationalError, InterfaceError):
        raise
    except CallRefused as refusal:
        # The provider would also refuse other runs with this key, so they are paused: all, or those with this model.
        agent = refusal.agent
        if agent.endpoint_id is not None and (refusal.kind in KEY_WIDE or refusal.of_model):
            same = runs_of_key(agent.endpoint_id, agent.model if refusal.of_model else "").exclude(pk=run_id)
            pause(same, refusal.reason, PauseCause(refusal.cause))
        return refusal
    except StopSlice as stop:
        return stop
    except Held as held:
        return StopSlice(held.reason, state=RunState.WAITING, seconds=held.seconds)
    except Stalled as stall:
        return StopSlice(str(stall), state=RunState.STALLED)
    except Exception as error:  # a bug of ours must show as an error, never as a low score
        logger.exception("Run %d failed.", run_id)
        reason = f"A fault in EconEvals stopped this run: {type(error).__name__}: {error}"
        return StopSlice(reason[:1000], state=RunState.ERRORED)


def _play(run_id: int, fence: int) -> bool:
    """Play until the run finishes (True) or the slice is over (False)."""
    deadline = Deadline()
    run = Run.objects.select_related(*PLAYED_WITH).get(pk=run_id)
    close_orphans(run_id, fence)
    check_stop_request(run_id, fence)
    ensure_drawn(run.instance)
    ensure_reference(run.instance)
    environment = rebuild(run)
    if environment.finished:
        # A worker crashed after the last period was committed; only the final state is missing.
        with write_transaction():
            lease.finish(run_id, fence, result_of(run, environment))
        return True
    if isinstance(environment, Survey) and run.config.get("batch"):
        return play_by_batch(run, fence, environment, deadline.passed)
    if isinstance(environment, Survey) and not run.agent.is_baseline:
        return play_survey(run, fence, environment, deadline.passed)
    written = Note.objects.filter(run=run).values_list("period_index", "text")
    notes = {seat: Notes.of(written.filter(seat=seat)) for seat in environment.seats}
    may_be_begun, unsettled = True, Unsettled()
    try:
        while True:
            played_period = play(run, fence, environment, notes, unsettled, may_be_begun=may_be_begun)
            end_period(run, fence, environment, played_period, unsettled)
            if environment.finished or deadline.passed():
                return environment.finished
            may_be_begun = False
    finally:
        unsettled.settle()


@lru_cache(maxsize=1)
def somebody_waits(span: int) -> bool:
    """Whether another run is due. Each process queries the database at most once in SWEEP_SECONDS."""
    return lease.startable().exists()


class Deadline:
    """The end of a slice. If no other run is due, the slice is extended, because resuming a run means replaying its periods.

    Slices have random lengths, so that runs that started together do not all end their slices at the same time.
    """

    def __init__(self) -> None:
        self._extend()

    def passed(self) -> bool:
        if time.monotonic() < self._next:
            return False
        self._extend()
        return somebody_waits(int(time.monotonic() / settings.SWEEP_SECONDS))

    def _extend(self) -> None:
        self._next = time.monotonic() + settings.SLICE_SECONDS * random.uniform(0.7, 1.3)
