"""All exceptions that end a slice of work. Each has the run state that it leads to."""

import random
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models.functions import Now

from agents.llm import ProviderFatal, ProviderRetry
from runs.models import Agent, Budgeted, PauseCause, Run, RunState

MAX_SENDS = 8
"""Number of sends of one exchange with growing delays. If all fail, OUTAGE_MINUTES more follow, a minute or two apart."""

MAX_UNKNOWN = 3
"""Number of sends of one exchange that may be billed without a reply before the run pauses."""

MAX_LOST = 4
"""Number of sends of one exchange that may be lost by the death of their workers before the run pauses."""

REPLACED = " answered although "
"""Text in the reason of a run that paused because its maker replaced the model."""

CAUSES = {cause.value: cause for cause in PauseCause} | {
    "forbidden": PauseCause.KEY,
    "capacity": PauseCause.ENDPOINT,
}
"""The pause cause for each kind of ProviderFatal and ProviderRetry."""

FIRST_DELAY_SECONDS = 2.0
LONGEST_DELAY_SECONDS = 300.0
PROBE_SECONDS = 60.0


class LeaseLost(Exception):
    """Another worker now holds the run, or the run was deleted. This worker must no longer write to it."""


class StopSlice(Exception):
    """Ends the slice. The run is released in `state`; a waiting run is due again after `seconds`."""

    state = RunState.QUEUED
    cause: PauseCause | str = ""
    seconds: float | None = None

    def __init__(self, reason: str = "", *, state: RunState | None = None, seconds: float | None = None):
        super().__init__(reason)
        self.reason = reason
        self.state = state or self.state
        self.seconds = self.seconds if seconds is None else seconds

    @property
    def wake_at(self) -> Any:
        return None if self.seconds is None else Now() + timedelta(seconds=self.seconds)

    def is_void(self) -> bool:
        """Whether the cause is gone, so that the run is queued instead. Called in the transaction that releases the run."""
        return False

    def columns(self, run: Run) -> dict[str, Any]:
        """Further columns to store with the state. Called in the same transaction with the locked run."""
        return {}


class Interrupted(StopSlice):
    """A person asked to pause or cancel the run, or this worker is shutting down."""


class BeingSolved(StopSlice):
    """Another worker is computing the reference of the run's instance."""

    state, seconds = RunState.WAITING, 1.0


class BudgetBusy(StopSlice):
    """Calls in flight have reserved the rest of a budget. They may cost less, so the run tries again soon."""

    state = RunState.WAITING

    def __init__(self, reason: str):
        super().__init__(reason, seconds=random.uniform(2.0, 4.0))


class OverBudget(StopSlice):
    """The booked cost plus the declared maximum of the next call exceeds a budget. `model` is the model class of its row."""

    state, cause = RunState.PAUSED, PauseCause.BUDGET

    def __init__(self, reason: str, model: type[Budgeted], pk: int, budget_nano: int):
        super().__init__(reason)
        self.model, self.pk, self.budget_nano = model, pk, budget_nano

    def is_void(self) -> bool:
        """Whether the budget was changed after the refusal.

        That change resumed only paused runs, and this run was not paused yet.
        """
        rows = self.model._default_manager.select_for_update(no_key=True).filter(pk=self.pk).only("budget_nano")
        return not any(row.budget_nano == self.budget_nano for row in rows)


class BatchGoesOn(StopSlice):
    """The provider is still working on a batch of the run. A worker checks again later."""

    state = RunState.WAITING

    def __init__(self, reason: str):
        super().__init__(reason, seconds=settings.BATCH_POLL_SECONDS)


class OutcomesUnknown(StopSlice):
    """Calls that may have been billed were lost. A person decides whether to pay for another send."""

    state, cause = RunState.PAUSED, PauseCause.ENDPOINT


class ModelReplaced(StopSlice):
    """A model other than the requested one answered at the maker's own address. Resuming the run accepts that model."""

    state, cause = RunState.PAUSED, PauseCause.MODEL

    def __init__(self, seat: str, model: str, answered: str):
        super().__init__(
            f"{answered[:100]}{REPLACED}{model} was asked: the maker replaces it. Resume the run to go on with the model "
            "that answered, or cancel it and launch an agent whose model is still served."
        )
        self.seat, self.answered = seat, answered

    def columns(self, run: Run) -> dict[str, Any]:
        accepted = {"accepted": [*accepted_models(run, self.seat), self.answered]}
        return {"conditions": run.conditions | {self.seat: run.conditions.get(self.seat, {}) | accepted}}


def accepted_models(run: Run, seat: str) -> list[str]:
    """Models that a person accepted in place of the requested one by resuming the run; see ModelReplaced."""
    return list(run.conditions.get(seat, {}).get("accepted", ()))


class CallRefused(StopSlice):
    """The provider refuses the call until a person acts."""

    state = RunState.PAUSED

    def __init__(self, agent: Agent, error: ProviderFatal):
        super().__init__(error.reason)
        self.agent, self.kind, self.cause = agent, error.kind, CAUSES[error.kind]
        self.of_model = error.of_model


class SendFailed(StopSlice):
    """An exchange failed `sends` times, and `unknown` of these sends may have been billed.

    The run waits and sends it again, or pauses.
    """

    def __init__(self, error: ProviderRetry, sends: int, unknown: int):
        most = MAX_SENDS + settings.OUTAGE_MINUTES
        attempt = (sends - 1) % most + 1
        is_paid_often = error.may_be_billed and unknown % MAX_UNKNOWN == 0
        if is_paid_often or attempt == most:
            tried = (
                f"{unknown} sends of one call that may each have been billed" if is_paid_often else f"{most} attempts"
            )
            super().__init__(f"Paused after {tried}: {error.reason}", state=RunState.PAUSED)
            self.cause = CAUSES[error.kind]
            return
        # Exponential backoff with jitter, then a send every minute or two. The key's circuit breaker admits one run at a
        # time.
        growing = min(LONGEST_DELAY_SECONDS, FIRST_DELAY_SECONDS * 2.0 ** (attempt - 1))
        delay = (PROBE_SECONDS * 2 if attempt >= MAX_SENDS else growing) * random.uniform(0.5, 1.0)
        reason = f"{error.reason} This was attempt {attempt} of {most}."
        super().__init__(reason, state=RunState.WAITING, seconds=max(error.retry_after or 0.0, delay))
