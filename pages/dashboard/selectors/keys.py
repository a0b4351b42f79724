"""Endpoints with the state of their keys and the runs that use them."""

import os
from collections import Counter, defaultdict
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count
from django.utils import timezone

from accounts.models import Endpoint, Organization
from accounts.services.headers import endpoint_has_secret_header
from infrastructure import limiter
from infrastructure.limiter import Status
from infrastructure.text.formats import counted
from runs.engine.requests import runs_of_key
from runs.models import PauseCause, Run, RunState
from runs.models.runs import ACTIVE, RETRYABLE
from runs.selectors.progress import Progress

OWN_CAUSES = ("", PauseCause.PERSON, PauseCause.BUDGET, PauseCause.STAGE)
"""Pause causes that do not come from a provider."""


@dataclass(frozen=True)
class KeyRow:
    """An endpoint with its `agent_count`.

    causes: number of paused runs by cause; status: None if the limiter is unreachable
    """

    endpoint: Endpoint
    runs: Progress
    causes: Counter[str]
    status: Status | None

    @property
    def held_until(self) -> datetime | None:
        seconds = self.status.held_for if self.status else 0
        return timezone.now() + timedelta(seconds=seconds) if seconds > 0 else None

    @property
    def key(self) -> tuple[str, str]:
        """(text, tone) on the state of the key. A stored key may still be refused."""
        endpoint = self.endpoint
        if endpoint.has_key:
            ends = f"key …{endpoint.key_last_four}" if endpoint.key_last_four else "key stored"
            return (f"{ends}, refused", "bad") if self.causes[PauseCause.KEY] else (ends, "")
        if variable := endpoint.environment_variable:
            is_set = bool(os.environ.get(variable))
            return (f"key from {variable}", "") if is_set else (f"API key missing; {variable} is not set", "warn")
        own = endpoint.base_url.startswith("http://") or (endpoint.base_url and endpoint_has_secret_header(endpoint))
        return ("API key not required", "soft") if own else ("API key missing", "warn")

    @property
    def provider_causes(self) -> str:
        """The runs that a provider's answers paused, such as '1 because of the key, 2: model not found'."""
        return ", ".join(
            f"{number:,} because of the key" if cause == PauseCause.KEY else f"{number:,}: {PauseCause(cause).label}"
            for cause, number in sorted(self.causes.items())
            if cause not in OWN_CAUSES
        )

    @property
    def limits(self) -> str:
        """The limits as text: 'at most 16 calls at once, 500 requests a minute'."""
        limits = (
            (self.endpoint.calls_at_once, "call at once,calls at once"),
            (self.endpoint.requests_per_minute, "request a minute,requests a minute"),
            (self.endpoint.tokens_per_minute, "token a minute,tokens a minute"),
        )
        return ", ".join(counted(value, nouns) for value, nouns in limits if value) or "no limits known"

    @property
    def calls(self) -> str:
        """The present calls as text: '3 calls in flight, up to 8 at once now'."""
        if self.status is None:
            return ""
        flying = counted(self.status.in_flight, "call,calls") if self.status.in_flight else "no call"
        return f"{flying} in flight, up to {self.status.concurrency:,} at once now"


def key_rows(*, organization: Organization) -> list[KeyRow]:
    """The endpoints. Takes two queries and one call of the limiter for any number of endpoints."""
    endpoints = list(organization.endpoints.annotate(agent_count=Count("agents")).order_by("name"))
    runs, causes = _runs_by_endpoint(organization)
    statuses = limiter.status([endpoint.pk for endpoint in endpoints])
    return [KeyRow(row, Progress(runs[row.pk]), causes[row.pk], statuses.get(row.pk)) for row in endpoints]


def paused_for_key(endpoint: Endpoint) -> int:
    return runs_of_key(endpoint.pk).filter(state=RunState.PAUSED, pause_cause=PauseCause.KEY).count()


def _runs_by_endpoint(organization: Organization) -> tuple[dict[int, Counter[str]], dict[int, Counter[str]]]:
    """Unfinished runs by endpoint and state, and paused runs by endpoint and cause.

    A run with two seats counts for both keys.
    """
    rows = Run.objects.filter(organization=organization, state__in=(*ACTIVE, RunState.PAUSED, *RETRYABLE)).order_by()
    runs: dict[int, Counter[str]] = defaultdict(Counter)
    causes: dict[int, Counter[str]] = defaultdict(Counter)
    columns = ("agent__endpoint", "rival__endpoint", "state", "pause_cause")
    for first, second, state, cause, number in rows.values_list(*columns).annotate(runs=Count("id")):
        for endpoint in {first, second} - {None}:
            runs[endpoint][state] += number
            if state == RunState.PAUSED:
                causes[endpoint][cause] += number
    return runs, causes
