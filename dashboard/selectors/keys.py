"""Endpoints with the state of their keys and the runs that use them."""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count
from django.utils import timezone

import limiter
from accounts.models import Endpoint, Organization
from infrastructure.text.formats import counted
from limiter import Status
from runs.engine.requests import runs_of_key
from runs.models import PauseCause, Run, RunState
from runs.models.runs import ACTIVE, RETRYABLE

OWN_CAUSES = ("", PauseCause.PERSON, PauseCause.BUDGET)
"""Pause causes that do not come from a provider."""


@dataclass(frozen=True)
class KeyRow:
    """runs: counts by state; causes: counts of paused runs by cause; status: None if the limiter is unreachable"""

    endpoint: Endpoint
    agents: int
    runs: Counter[str]
    causes: Counter[str]
    status: Status | None
    key: str
    key_tone: str
    held_until: datetime | None

    @property
    def active(self) -> int:
        return sum(self.runs[state] for state in ACTIVE)

    @property
    def paused(self) -> int:
        return self.runs[RunState.PAUSED]

    @property
    def provider_causes(self) -> str:
        """Runs that a provider's answers paused, such as '1 because of the key, 2: model not found'."""
        causes = [
            (PauseCause(cause), number) for cause, number in sorted(self.causes.items()) if cause not in OWN_CAUSES
        ]
        return ", ".join(
            f"{number:,} because of the key" if cause == PauseCause.KEY else f"{number:,}: {cause.label}"
            for cause, number in causes
        )

    @property
    def failed(self) -> int:
        return sum(self.runs[state] for state in RETRYABLE)

    @property
    def unfinished(self) -> int:
        return self.active + self.paused + self.failed

    @property
    def limits(self) -> str:
        """'at most 16 calls at once, 500 requests a minute'"""
        endpoint = self.endpoint
        named = (
            (endpoint.calls_at_once, "call at once,calls at once"),
            (endpoint.requests_per_minute, "request a minute,requests a minute"),
            (endpoint.tokens_per_minute, "token a minute,tokens a minute"),
        )
        return ", ".join(counted(value, words) for value, words in named if value) or "no limits known"

    @property
    def calls(self) -> str:
        """'3 calls in flight, up to 8 at once now'"""
        if self.status is None:
            return ""
        flying = counted(self.status.in_flight, "call,calls") if self.status.in_flight else "no call"
        return f"{flying} in flight, up to {self.status.concurrency:,} at once now"


def key_rows(*, organization: Organization) -> list[KeyRow]:
    """Two queries and one call of the limiter for any number of endpoints."""
    endpoints = list(organization.endpoints.annotate(agent_count=Count("agents")).order_by("name"))
    runs, causes = _runs_by_endpoint(organization)
    statuses = limiter.status([endpoint.pk for endpoint in endpoints])
    now = timezone.now()
    return [
        _row(endpoint, runs[endpoint.pk], causes[endpoint.pk], statuses.get(endpoint.pk), now) for endpoint in endpoints
    ]


def paused_for_key(endpoint: Endpoint) -> int:
    return runs_of_key(endpoint.pk).filter(state=RunState.PAUSED, pause_cause=PauseCause.KEY).count()


def _row(
    endpoint: Endpoint,
    runs: Counter[str],
    causes: Counter[str],
    status: Status | None,
    now: datetime,
) -> KeyRow:
    held = now + timedelta(seconds=status.held_for) if status and status.held_for > 0 else None
    key, tone = _key_words(endpoint, causes[PauseCause.KEY])
    agents = getattr(endpoint, "agent_count", 0)
    return KeyRow(endpoint, agents, runs, causes, status, key, tone, held)


def _key_words(endpoint: Endpoint, waiting: int) -> tuple[str, str]:
    """What is known about the key, and its tone. A stored key may still be refused."""
    if endpoint.has_key:
        ends = f"key …{endpoint.key_last_four}" if endpoint.key_last_four else "key stored"
        return (f"{ends}, refused", "bad") if waiting else (ends, "")
    if variable := endpoint.environment_variable:
        return (f"key from {variable}", "") if os.environ.get(variable) else (f"no key; {variable} is not set", "warn")
    own = endpoint.base_url.startswith("http://")
    return ("API key not required", "soft") if own else ("API key missing", "warn")


def _runs_by_endpoint(organization: Organization) -> tuple[dict[int, Counter[str]], dict[int, Counter[str]]]:
    """Unfinished runs by endpoint and state, and paused runs by cause. A run with two seats counts for both keys."""
    wanted = (*ACTIVE, RunState.PAUSED, *RETRYABLE)
    rows = (
        Run.objects.filter(organization=organization, state__in=wanted)
        .values_list("agent__endpoint", "rival__endpoint", "state", "pause_cause")
        .annotate(runs=Count("id"))
        .order_by()
    )
    runs: dict[int, Counter[str]] = defaultdict(Counter)
    causes: dict[int, Counter[str]] = defaultdict(Counter)
    for first, second, state, cause, number in rows:
        for endpoint in {first, second} - {None}:
            runs[endpoint][state] += number
            if state == RunState.PAUSED:
                causes[endpoint][cause] += number
    return runs, causes
