"""Records of runs and of background jobs: batches, calls with their cost, periods and notes."""

import secrets

from django.conf import settings
from django.db import models
from django.db.models import Q, Value
from django.utils import timezone

from accounts.models import Organization
from environments.base import Outcome
from infrastructure.fields import CompressedJSONField
from runs.models.agents import Agent
from runs.models.runs import Run


class BatchState(models.TextChoices):
    """States of a batch.

    unsent: its lines are stored; it was not sent yet, or the outcome of its submission is unknown
    submitted: the provider has it
    cancelling: the provider was asked to end it, because its run is over
    ended: every line is settled
    """

    UNSENT = "unsent", "Not submitted yet"
    SUBMITTED = "submitted", "Submitted"
    CANCELLING = "cancelling", "Being cancelled"
    ENDED = "ended", "Ended"


def new_mark() -> str:
    return secrets.token_hex(8)


class SurveyBatch(models.Model):
    """Questions of a survey that a provider answers as one batch. Each line is an Exchange, see `Exchange.batch`.

    mark: unique text by which the batch is found at the provider after a crash
    provider_id: the provider's id, empty until it is known
    learned: what was known about the provider when the lines were written; the request bodies depend on it
    sent_at: time of the last submission, None before the first
    sends: number of submissions and status checks that failed since the last success
    answered: number of lines with an outcome, as the provider last reported
    poll_at: when a worker may next check the batch of a run that is over
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="batches")
    mark = models.CharField(max_length=32, default=new_mark, unique=True)
    provider_id = models.CharField(max_length=200, blank=True, default="")
    learned = models.JSONField(default=dict, db_default=Value({}, models.JSONField()), blank=True)
    state = models.CharField(max_length=10, choices=BatchState, default=BatchState.UNSENT)
    sends = models.PositiveSmallIntegerField(default=0)
    answered = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)
    sent_at = models.DateTimeField(null=True)
    poll_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run"], condition=~Q(state="ended"), name="one_open_batch_per_run"),
        ]


class Billed(models.Model):
    """Base class of rows with the tokens and the cost of one or more calls.

    reasoning_tokens: output tokens spent on thinking, as far as the provider counts them
    thinking_nano: the cost of these tokens, a part of `cost_nano`
    """

    input_tokens = models.PositiveIntegerField(default=0)
    cached_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    reasoning_tokens = models.PositiveIntegerField(default=0, db_default=0)
    cost_nano = models.BigIntegerField(default=0)
    thinking_nano = models.BigIntegerField(default=0, db_default=0)

    class Meta:
        abstract = True


class Period(Billed):
    """One played period. `action` and `result` are unrounded, as in `environments.base.Outcome`.

    seconds: None if the log of an imported run has no times; `created_at` is then the time of the import
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="period_rows")
    index = models.PositiveSmallIntegerField()
    action = CompressedJSONField()
    result = CompressedJSONField()
    quality = models.FloatField(null=True)
    ended = models.BooleanField(default=False)
    queries = models.PositiveSmallIntegerField(default=0)
    seconds = models.FloatField(default=0, null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "index"], name="each_period_once")]
        ordering = ["index"]

    def as_outcome(self) -> Outcome:
        return Outcome(self.index, self.action, self.result, self.quality, self.ended)


class MetricSeries(models.Model):
    """A metric of a finished run with a value for each period; the others are in `Run.metrics`. See `runs.metric_series`."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="series", db_index=False)
    metric = models.CharField(max_length=60)
    values = CompressedJSONField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "metric"], name="each_series_once")]


class Note(models.Model):
    """A text that an agent wrote for itself. `order` counts the notes of a period and seat."""

    run = models.ForeignKey(Run, models.CASCADE, related_name="notes")
    period_index = models.PositiveSmallIntegerField()
    seat = models.CharField(max_length=10)
    order = models.PositiveSmallIntegerField()
    text = models.TextField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["run", "period_index", "seat", "order"], name="each_note_once"),
        ]
        ordering = ["period_index", "seat", "order"]


class ExchangeState(models.TextChoices):
    """States of a call.

    sent: the intent is committed, and there is no outcome yet
    replied: the reply is stored
    estimate: the reply is stored, but the provider did not report its tokens; booked at an upper bound
    failed: the provider answered with an error and billed nothing
    unknown: the call may have been billed but brought no usable reply; booked at the cost of the
        tokens that the provider reports, else at its reserved maximum
    lost: its worker died; booked at its reserved maximum
    late: the reply reached a worker that had lost its lease; booked at its cost
    """

    SENT = "sent", "Sent"
    REPLIED = "replied", "Replied"
    ESTIMATED = "estimate", "Replied, cost estimated"
    FAILED = "failed", "Failed"
    UNKNOWN = "unknown", "Outcome unknown"
    LOST = "lost", "Lost"
    LATE = "late", "Late"


ANSWERED = (ExchangeState.REPLIED, ExchangeState.ESTIMATED)
"""Calls whose reply is used as a step of the run."""

WASTE = (ExchangeState.UNKNOWN, ExchangeState.LOST, ExchangeState.LATE)
"""Calls that cost money, or may have, but are not a step of the run."""

UNCONFIRMED = (*WASTE, ExchangeState.ESTIMATED)
"""Calls that may have cost less than what is booked."""


class Exchange(Billed):
    """One query of a model. The intent is committed before it is sent, the reply before it is acted on.

    (attempt, step) is its place in the period's chats, and `send` numbers the sends of that step. `results` are the
    results of the reply's tool calls; the long history is stored as a fingerprint only (see runs.rebuilding).
    `reserved_nano` is the declared maximum of the call and `cost_nano` its booked cost. `agent` is the agent that was
    called. `batch` is the batch that contains the call, None if the call was sent alone.
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="exchanges")
    agent = models.ForeignKey(Agent, models.PROTECT, null=True, related_name="exchanges")
    period_index = models.PositiveSmallIntegerField()
    seat = models.CharField(max_length=10)
    attempt = models.PositiveSmallIntegerField()
    step = models.PositiveSmallIntegerField()
    send = models.PositiveSmallIntegerField(default=0)
    fence = models.PositiveBigIntegerField()
    state = models.CharField(max_length=8, choices=ExchangeState, default=ExchangeState.SENT)
    reply = CompressedJSONField(null=True)
    results = CompressedJSONField(null=True)
    error = models.TextField(blank=True)
    reserved_nano = models.BigIntegerField(default=0, db_default=0)
    seconds = models.FloatField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    batch = models.ForeignKey(SurveyBatch, models.CASCADE, null=True, related_name="lines", db_index=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "period_index", "seat", "attempt", "step", "send"], name="each_send_once"
            ),
        ]
        # The ledger reads its sums, filters and order from the index `ledger` alone, because rows with replies are
        # large.
        indexes = [
            models.Index(fields=["run", "state", "created_at", "agent", "cost_nano", "reserved_nano"], name="ledger"),
            models.Index(fields=["batch"], condition=models.Q(batch__isnull=False), name="lines_of_a_batch"),
        ]
        ordering = ["period_index", "seat", "attempt", "step", "send"]


class JobCall(models.Model):
    """A model call of a background job. The monthly accounts of `user` and of the organization pay for it.

    The intent is committed with the call's maximum cost before it is sent, then the outcome with its cost. Rows outlive
    the job, because the money was spent.

    job: what the call was sent for, such as "notes analysis 12"
    model: the model's name
    tokens: all tokens that the provider billed
    most_nano: its declared maximum, reserved while the call is in flight
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="job_calls")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    job = models.CharField(max_length=80)
    model = models.CharField(max_length=200)
    state = models.CharField(max_length=8, choices=ExchangeState, default=ExchangeState.SENT)
    error = models.TextField(blank=True, default="")
    tokens = models.PositiveBigIntegerField(default=0)
    most_nano = models.BigIntegerField(default=0)
    cost_nano = models.BigIntegerField(default=0)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes = [
            models.Index(fields=["organization", "created_at"], name="job_calls_by_time"),
            models.Index(fields=["organization", "job"], name="job_calls_by_job"),
            models.Index(fields=["created_at"], condition=models.Q(state="sent"), name="job_calls_sent"),
        ]

    @property
    def reserved_nano(self) -> int:
        return self.most_nano
