"""Health of runs: due runs that no worker takes, and leased runs without progress."""

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, TypeAlias

from django.conf import settings
from django.db.models import Q

from agents.options import LLMOptions
from infrastructure.text.formats import duration
from runs.models import Exchange, ExchangeState, Run, RunState
from runs.models.runs import ACTIVE

UNTAKEN_SECONDS = 30.0
QUIET_SECONDS = 60.0
QUIET_WITHOUT_CALL_SECONDS = 600.0
"""Longer, because a run that was just leased again has no call in flight yet."""

TIMES_THE_USUAL = 3.0
NAMED = 3
DEADLINE_SECONDS = LLMOptions.timeout_seconds


Watched: TypeAlias = Any
"""A run with the fields that the health check needs: a runs.selectors.cells.RunCell or a part of its columns."""


@dataclass(frozen=True)
class Quiet:
    """A leased run without progress. usual: seconds between calls of its agent; calls: whether one is in flight"""

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
            f"{usual}If no reply comes within {DEADLINE_SECONDS / 60:g} minutes of sending, the call is given up and sent "
            "again; nothing is lost."
        )


@dataclass(frozen=True)
class Health:
    """untaken: number of due runs while no worker plays, the first since `untaken_since`
    quiet: the longest quiet runs; more_quiet: the number of others
    """

    untaken: int = 0
    untaken_since: datetime | None = None
    quiet: Sequence[Quiet] = ()
    more_quiet: int = 0

    def __bool__(self) -> bool:
        return bool(self.untaken or self.quiet)

    @property
    def on_one_machine(self) -> bool:
        return bool(settings.EMBEDDED)

    @property
    def version(self) -> str:
        return f"u{bool(self.untaken):d}q" + "-".join(str(item.run.id) for item in self.quiet)


def health_of(runs: Sequence[Watched], now: float | None = None) -> Health:
    """The health of these runs. It makes no query while all of them look healthy."""
    at = now or time.time()
    active = [run for run in runs if run.state in ACTIVE]
    untaken = sorted(since for run in active if (since := due_since(run, at)) and _older(since, at, UNTAKEN_SECONDS))
    if untaken:
        recent = Q(progressed_at__gt=_moment(at - UNTAKEN_SECONDS))
        if Run.objects.filter(Q(state=RunState.RUNNING, lease_until__gt=_moment(at)) | recent).exists():
            untaken = []
    leased = [run for run in active if run.state == RunState.RUNNING and run.lease_until and run.lease_until >= at]
    # Seconds from one call of an agent to the next. For baselines, from one period to the next.
    usual = paces(runs, lambda run: run.agent_id, "queries") if leased else {}
    found = []
    for run in leased:
        since = run.progressed_at or run.started_at
        if since and _older(since, at, max(QUIET_SECONDS, TIMES_THE_USUAL * usual.get(run.agent_id, 0.0))):
            found.append((since, run))
    quiet = []
    if found:
        ids = [run.id for _, run in found]
        sent = set(Exchange.objects.filter(run__in=ids, state=ExchangeState.SENT).values_list("run", flat=True))
        quiet = [
            Quiet(run, _moment(since), usual.get(run.agent_id), run.id in sent)
            for since, run in sorted(found, key=lambda item: item[0])
            if run.id in sent or _older(since, at, QUIET_WITHOUT_CALL_SECONDS)
        ]
    first = _moment(untaken[0]) if untaken else None
    return Health(len(untaken), first, quiet[:NAMED], max(0, len(quiet) - NAMED))


def due_since(run: Watched, now: float) -> float | None:
    """The time since which a run is due (runs.engine.lease.due), None if it is not due."""
    if run.state == RunState.RUNNING:
        return run.lease_until if run.lease_until and run.lease_until < now else None
    if run.state not in (RunState.QUEUED, RunState.WAITING) or (run.wake_at and run.wake_at > now):
        return None
    return max(filter(None, (run.created_at, run.progressed_at, run.wake_at)))


def paces(runs: Iterable[Watched], key: Callable[[Watched], Any], steps: str = "played") -> dict[Any, float]:
    """By key: mean seconds of a step, with waits."""
    spans: dict[Any, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for run in runs:
        taken = getattr(run, steps) or run.played
        if run.started_at and run.progressed_at and taken:
            span = spans[key(run)]
            span[0] += max(0.0, run.progressed_at - run.started_at)
            span[1] += taken
    return {named: seconds / taken for named, (seconds, taken) in spans.items()}


def _older(since: float, now: float, seconds: float) -> bool:
    return now - since > seconds


def _moment(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
