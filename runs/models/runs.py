from __future__ import annotations

from django.db import models

from accounts.models import Organization
from environments.base import SINGLE_SEAT
from runs.models.agents import Agent
from runs.models.experiments import Experiment
from runs.models.instances import Instance
from runs.models.money import Budgeted


class RunState(models.TextChoices):
    """States of a run. `queued` and `waiting` runs are picked up by workers; `paused`, `stalled` and `errored` ones go on
    when a person says so; `finished` and `cancelled` ones never."""

    QUEUED = "queued", "Queued"
    RUNNING = "running", "Running"
    WAITING = "waiting", "Waiting"
    PAUSED = "paused", "Paused"
    FINISHED = "finished", "Finished"
    STALLED = "stalled", "Stalled"
    ERRORED = "errored", "Errored"
    CANCELLED = "cancelled", "Cancelled"


ACTIVE = (RunState.QUEUED, RunState.RUNNING, RunState.WAITING)
TERMINAL = (RunState.FINISHED, RunState.CANCELLED)
RETRYABLE = (RunState.STALLED, RunState.ERRORED)
ENDED = (*TERMINAL, *RETRYABLE)
"""States that no worker and no budget changes any more."""


class Wish(models.TextChoices):
    """What a person wants of a run that a worker holds; the worker obeys between two model calls."""

    NONE = "", "None"
    PAUSE = "pause", "Pause"
    CANCEL = "cancel", "Cancel"


class PauseCause(models.TextChoices):
    """What has to change before a paused run goes on: a person's mind, a budget, or what the provider refused.

    The labels follow «Paused:». Runs that were paused before a cause had a value of its own keep KEY or ENDPOINT.
    """

    PERSON = "person", "by a person"
    BUDGET = "budget", "budget"
    KEY = "key", "key"
    CREDIT = "credit", "account's credit or spend limit"
    MODEL = "model", "model not found"
    CONTEXT = "context", "request too long"
    REQUEST = "request", "request rejected"
    ADDRESS = "address", "address cannot be called"
    LIMIT = "limit", "rate limit"
    TIMEOUT = "timeout", "no answer in time"
    ENDPOINT = "endpoint", "endpoint"


class Run(Budgeted):
    """One agent on one instance under one variant; in a market of two, `rival` may be another one. Only finished runs are
    scored.

    The lease (owner, expiry, fence) says which worker may write: every write of the engine names its fence number, which
    each new holder raises, so that a worker that lost its lease can write nothing more.

    An `imported` run was played elsewhere: it is stored ended, finished or cancelled, and so never played here.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="runs")
    experiment = models.ForeignKey(Experiment, models.CASCADE, related_name="runs")
    instance = models.ForeignKey(Instance, models.PROTECT, related_name="runs")
    agent = models.ForeignKey(Agent, models.PROTECT, related_name="runs")
    rival = models.ForeignKey(Agent, models.PROTECT, null=True, blank=True, related_name="runs_as_rival")
    variant = models.CharField(max_length=60, default="main")
    reasoning = models.BooleanField(default=False)
    periods = models.PositiveSmallIntegerField(default=100)
    prompt_version = models.CharField(max_length=12)
    config = models.JSONField()
    imported = models.BooleanField(default=False, db_default=False)

    state = models.CharField(max_length=10, choices=RunState, default=RunState.QUEUED)
    reason = models.TextField(blank=True)
    wish = models.CharField(max_length=6, choices=Wish, default=Wish.NONE, blank=True)
    pause_cause = models.CharField(max_length=8, choices=PauseCause, blank=True, default="", db_default="")
    wake_at = models.DateTimeField(null=True)
    waiting_since = models.DateTimeField(null=True)
    lease_owner = models.CharField(max_length=100, blank=True)
    lease_until = models.DateTimeField(null=True)
    fence = models.PositiveBigIntegerField(default=0)

    periods_played = models.PositiveSmallIntegerField(default=0)
    last_quality = models.FloatField(null=True)
    score = models.FloatField(null=True)
    solved = models.BooleanField(null=True)
    metrics = models.JSONField(null=True)
    queries = models.PositiveIntegerField(default=0)
    input_tokens = models.PositiveBigIntegerField(default=0)
    cached_tokens = models.PositiveBigIntegerField(default=0)
    output_tokens = models.PositiveBigIntegerField(default=0)

    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True)
    progressed_at = models.DateTimeField(null=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["experiment", "state"]),
            models.Index(fields=["organization", "state"]),
            models.Index(fields=["state", "wake_at"]),
        ]

    def __str__(self) -> str:
        return f"run {self.pk}"

    def agent_in(self, seat: str) -> Agent:
        """Who plays a seat: the rival, where there is one, every seat but the first."""
        return self.agent if self.rival is None or seat == SINGLE_SEAT else self.rival

    @property
    def known_cost_nano(self) -> int | None:
        """None for an imported run: it cost nothing here, and its log does not say what it cost there."""
        return None if self.imported else self.cost_nano

    @property
    def knows_times(self) -> bool:
        """Whether periods and calls have times: not every log of an imported run says when things happened."""
        return not self.imported or self.ended_at is not None

    @property
    def is_active(self) -> bool:
        return self.state in ACTIVE

    @property
    def progress(self) -> float:
        return 1.0 if self.state == RunState.FINISHED else self.periods_played / self.periods
