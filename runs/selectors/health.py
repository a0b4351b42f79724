"""Health of runs: finds due runs that no worker takes, and leased runs without progress."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from django.conf import settings
from django.db.models import Case, FloatField, IntegerField, Q, QuerySet, Sum, When
from django.db.models.functions import Greatest

from agents.options import FLEX_SECONDS, LLMOptions
from infrastructure.fields import UnixTime
from infrastructure.text.formats import duration
from runs.models import Exchange, ExchangeState, Run, RunState
from runs.models.runs import ACTIVE

UNTAKEN_SECONDS = 30.0
QUIET_SECONDS = 60.0
QUIET_WITHOUT_CALL_SECONDS = 600.0
"""Time without progress after which a run without a call in flight is quiet. A newly leased run has no call yet."""

TIMES_THE_USUAL = 3.0
NAMED = 3
DEADLINE_SECONDS = LLMOptions.timeout_seconds


CALLS = Case(When(queries__gt=0, then="queries"), default="periods_played", output_field=IntegerField())
"""Number of steps of an agent: its calls, or its periods if it makes no calls."""

Watched: TypeAlias = Any
"""A run with the fields that the health check needs: a runs.selectors.cells.RunCell, or a similar row."""


@dataclass(frozen=True)
class Quiet:
    """A leased run without progress.

    usual: usual seconds between calls of its agent
    calls: whether the run has a call in flight
    """

    run: Watched
    since: datetime
    usual: float | None
    calls: bool

    @property
    def expected(self) -> str:
        """A sentence on what happens next."""
        if not self.calls:
            return "A worker holds it, but no call is in flight. If this stays, pause and resume it; nothing is lost."
        usual = f"{self.run.agent} usually takes about {duration(self.usual)} here. " if self.usual else ""
        return (
            f"{usual}If no reply comes within {DEADLINE_SECONDS / 60:g} minutes of sending (by flex within "
            f"{FLEX_SECONDS / 60:g}), the call is given up and sent again; nothing is lost."
        )


@dataclass(frozen=True)
class Health:
    """What is wrong with some runs.

    untaken: number of due runs if no worker plays, else 0; untaken_since: when the first of them became due
    quiet: the runs without progress for longest; more_quiet: number of further runs without progress
    """

    untaken: int = 0
    untaken_since: datetime | None = None
    quiet: Sequence[Quiet] = ()
    more_quiet: int = 0

    def __bool__(self) -> bool:
        return bool(self.untaken or self.quiet)

    @property
    def quiet_runs(self) -> int:
        return len(self.quiet) + self.more_quiet

    @property
    def on_one_machine(self) -> bool:
        return bool(settings.EMBEDDED)

    @property
    def version(self) -> str:
        return f"u{bool(self.untaken):d}q" + "-".join(str(item.run.id) for item in self.quiet)


def health_of(runs: Sequence[Watched], among: QuerySet[Run], now: float | None = None) -> Health:
    """The health of these runs. Makes no query if all of them look healthy.

    among: runs from which the usual time between calls is computed
    """
    at = now or time.time()
    active = [run for run in runs if run.state in ACTIVE]
    untaken = sorted(since for run in active if (since := due_since(run, at)) and _older(since, at, UNTAKEN_SECONDS))
    leased_or_recent = Q(state=RunState.RUNNING, lease_until__gt=_moment(at))
    leased_or_recent |= Q(progressed_at__gt=_moment(at - UNTAKEN_SECONDS))
    if untaken and Run.objects.filter(leased_or_recent).exists():
        untaken = []
    leased = [run for run in active if run.state == RunState.RUNNING and run.lease_until and run.lease_until >= at]
    last_steps = ((run.progressed_at or run.started_at or at, run) for run in leased)
    silent = [(since, run) for since, run in last_steps if _older(since, at, QUIET_SECONDS)]
    by_agent = paces(among, CALLS, "agent") if silent else {}
    usual = {agent: seconds / calls for (agent,), (seconds, calls) in by_agent.items()}
    overdue = [
        (since, run) for since, run in silent if _older(since, at, TIMES_THE_USUAL * usual.get(run.agent_id, 0.0))
    ]
    # Without overdue runs this makes no query.
    calls_in_flight = Exchange.objects.filter(run__in=[run.id for _, run in overdue], state=ExchangeState.SENT)
    sent = set(calls_in_flight.values_list("run", flat=True))
    quiet = [
        Quiet(run, _moment(since), usual.get(run.agent_id), run.id in sent)
        for since, run in sorted(overdue, key=lambda item: item[0])
        if run.id in sent or _older(since, at, QUIET_WITHOUT_CALL_SECONDS)
    ]
    return Health(len(untaken), _moment(untaken[0]) if untaken else None, quiet[:NAMED], max(0, len(quiet) - NAMED))


def due_since(run: Watched, now: float) -> float | None:
    """Since when a run is due, in seconds since 1970 (see runs.engine.lease.due). None if it is not due."""
    if run.state == RunState.RUNNING:
        return run.lease_until if run.lease_until and run.lease_until < now else None
    if run.state not in (RunState.QUEUED, RunState.WAITING) or (run.wake_at and run.wake_at > now):
        return None
    return max(filter(None, (run.created_at, run.progressed_at, run.wake_at)))


def paces(runs: QuerySet[Run], steps: Any, *by: str) -> dict[tuple[Any, ...], tuple[float, int]]:
    """Seconds and steps of the runs with progress, grouped by the columns `by`. The seconds include waits. One query."""
    span = Greatest(UnixTime("progressed_at") - UnixTime("started_at"), 0.0, output_field=FloatField())
    begun = runs.filter(started_at__isnull=False, progressed_at__isnull=False).alias(steps=steps).filter(steps__gt=0)
    return {
        tuple(values): (seconds, taken)
        for *values, seconds, taken in begun.order_by().values_list(*by).annotate(seconds=Sum(span), taken=Sum("steps"))
    }


def _older(since: float, now: float, seconds: float) -> bool:
    return now - since > seconds


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
