"""Advancing a run by a slice of time. The one place that turns exceptions into states."""

from __future__ import annotations

import logging
import random
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.db import InterfaceError, OperationalError
from django.db.models.functions import Now

from agents.loop import Stalled
from agents.notes import Notes
from environments.survey import Survey
from infrastructure.transactions import write_transaction
from limiter import Held
from runs.engine import heartbeat, lease
from runs.engine.calls import KEY_WIDE, Refused, SendFailed
from runs.engine.journal import MAX_UNKNOWN, OutcomesUnknown, close_orphans
from runs.engine.period import check_wish, end_period, play
from runs.engine.reference import BeingSolved, ensure_drawn, ensure_reference
from runs.engine.requests import pause_runs_of_key
from runs.engine.slices import Deadline
from runs.engine.summaries import summary
from runs.engine.survey import play_survey
from runs.engine.writing.budget_accounts import BudgetBusy, OverBudget
from runs.engine.writing.entries import Interrupted
from runs.events import emit_runs_stopped
from runs.models import Note, PauseCause, Run, RunState
from runs.rebuilding import rebuild

logger = logging.getLogger(__name__)

MAX_SENDS = 8
"""Sends of one exchange before the run pauses and waits for a person."""

CAUSES = {cause.value: cause for cause in PauseCause} | {"forbidden": PauseCause.KEY}
"""What a run is paused by, for every kind of ProviderFatal and ProviderRetry."""

FIRST_DELAY_SECONDS = 2.0
LONGEST_DELAY_SECONDS = 300.0


def advance(run_id: int) -> bool:
    """Play a run for a slice of time, if its lease is free. Returns whether it was this worker that played it."""
    fence = lease.take(run_id)
    if fence is None:
        return False
    play_held(run_id, fence)
    return True


def play_held(run_id: int, fence: int) -> None:
    """Play a run whose lease was just taken for a slice of time, and give it back in the state it is then in."""
    heartbeat.start()
    try:
        stop = _slice(run_id, fence)
        if stop is not None:
            lease.release(run_id, fence, stop.state, reason=stop.reason, cause=stop.cause, wake_at=stop.wake_at)
    except lease.LeaseLost:
        logger.info("Run %d is another worker's now.", run_id)
    except (OperationalError, InterfaceError):
        # The database is away or full. The lease runs out by itself, and whoever takes it next goes on from the journal.
        lease.database_was_away()
        logger.warning("Run %d waits for the database.", run_id, exc_info=True)
    finally:
        lease.forget(run_id, fence)


@dataclass(frozen=True)
class Stop:
    """The state a run is left in, and why."""

    state: RunState = RunState.QUEUED
    reason: str = ""
    cause: PauseCause | str = ""
    seconds: float | None = None

    @property
    def wake_at(self) -> Any:
        return None if self.seconds is None else Now() + timedelta(seconds=self.seconds)


def _slice(run_id: int, fence: int) -> Stop | None:
    """Play until the slice ends; None where the run ended, its lease then given back with the last period."""
    try:
        return None if _play(run_id, fence) else Stop()
    except (lease.LeaseLost, OperationalError, InterfaceError):
        raise
    except Interrupted:
        return Stop()
    except BeingSolved as wait:
        return _waiting("The optimum of its instance is being computed.", wait.seconds)
    except Held as held:
        return _waiting(held.reason, held.seconds)
    except BudgetBusy as busy:
        return _waiting(str(busy), random.uniform(2.0, 4.0))
    except SendFailed as failure:
        return _after_failure(failure)
    except OutcomesUnknown as stop:
        return Stop(RunState.PAUSED, str(stop), PauseCause.ENDPOINT)
    except Refused as refusal:
        return _after_refusal(run_id, refusal)
    except OverBudget as stop:
        return Stop(RunState.PAUSED, str(stop), PauseCause.BUDGET)
    except Stalled as stall:
        return Stop(RunState.STALLED, str(stall))
    except Exception as error:  # a bug of ours must show as one, never as a low score
        logger.exception("Run %d failed.", run_id)
        reason = f"A fault in EconEvals stopped this run: {type(error).__name__}: {error}"
        return Stop(RunState.ERRORED, reason[:1000])


def _play(run_id: int, fence: int) -> bool:
    """Play until the run ends or the slice does; True when it ended."""
    deadline = Deadline()
    run = Run.objects.select_related("instance", "agent__endpoint__organization", "rival__endpoint__organization").get(
        pk=run_id
    )
    close_orphans(run_id, fence)
    check_wish(run_id, fence)
    ensure_drawn(run.instance)
    ensure_reference(run.instance)
    environment = rebuild(run)
    written = Note.objects.filter(run=run)
    notes = {
        seat: Notes.of(written.filter(seat=seat).values_list("period_index", "text")) for seat in environment.seats
    }
    if isinstance(environment, Survey) and not environment.finished:
        return play_survey(run, fence, environment, deadline)
    may_be_begun = True
    while not environment.finished:
        played = play(run, fence, environment, notes, may_be_begun=may_be_begun)
        end_period(run, fence, played, summary(run, environment))
        if environment.finished:
            return True
        if deadline.passed():
            return False
        may_be_begun = False
    # Every period was there already: an earlier life stopped between the last period and nothing, so only say it ended.
    with write_transaction():
        lease.update(run_id, fence, **summary(run, environment))
        emit_runs_stopped([run_id])
    return True


def _waiting(reason: str, seconds: float) -> Stop:
    return Stop(RunState.WAITING, reason, seconds=seconds)


def _after_failure(failure: SendFailed) -> Stop:
    if failure.may_be_billed and failure.unknown % MAX_UNKNOWN == 0:
        reason = f"Paused after {failure.unknown} sends of one call that may each have been billed: {failure.reason}"
        return Stop(RunState.PAUSED, reason, CAUSES[failure.kind])
    attempt = (failure.sends - 1) % MAX_SENDS + 1
    if attempt == MAX_SENDS:
        return Stop(RunState.PAUSED, f"Paused after {MAX_SENDS} attempts: {failure.reason}", CAUSES[failure.kind])
    delay = max(failure.retry_after or 0.0, retry_delay(attempt))
    return _waiting(f"{failure.reason} This was attempt {attempt} of {MAX_SENDS}.", delay)


def _after_refusal(run_id: int, refusal: Refused) -> Stop:
    """The runs that would be refused as well are paused with it, so that none asks in vain."""
    agent, cause = refusal.agent, CAUSES[refusal.kind]
    if agent.endpoint_id is not None and refusal.kind in (*KEY_WIDE, "model"):
        same_model = agent.model if refusal.kind == "model" else ""
        pause_runs_of_key(agent.endpoint_id, refusal.reason, cause, model=same_model, but=run_id)
    return Stop(RunState.PAUSED, refusal.reason, cause)


def retry_delay(failed: int) -> float:
    """Seconds to wait after so many failures in a row: doubling, with up to half of it random so that runs spread out."""
    full = min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2 ** (failed - 1))
    return full * random.uniform(0.5, 1.0)
