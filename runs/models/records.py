from django.db import models
from django.utils import timezone

from environments.base import Outcome
from infrastructure.fields import CompressedJSONField
from runs.models.agents import Agent
from runs.models.batches import SurveyBatch
from runs.models.runs import Run


class Period(models.Model):
    """One played period. `action` and `result` are unrounded, as in `environments.base.Outcome`.

    reasoning_tokens: how many of the output tokens were thinking, as far as the provider counts them
    thinking_nano: what these cost, a part of `cost_nano`
    seconds: None if the log of an imported run has no times; `created_at` is then the time of the import
    """

    run = models.ForeignKey(Run, models.CASCADE, related_name="period_rows")
    index = models.PositiveSmallIntegerField()
    action = CompressedJSONField()
    result = CompressedJSONField()
    quality = models.FloatField(null=True)
    ended = models.BooleanField(default=False)
    queries = models.PositiveSmallIntegerField(default=0)
    input_tokens = models.PositiveIntegerField(default=0)
    cached_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    reasoning_tokens = models.PositiveIntegerField(default=0, db_default=0)
    cost_nano = models.BigIntegerField(default=0)
    thinking_nano = models.BigIntegerField(default=0, db_default=0)
    seconds = models.FloatField(default=0, null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "index"], name="each_period_once")]
        ordering = ["index"]

    def as_outcome(self) -> Outcome:
        return Outcome(self.index, self.action, self.result, self.quality, self.ended)


class Note(models.Model):
    """A text that an agent wrote for itself. `order` counts within period and seat."""

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
    estimate: the reply is stored, but the provider does not name its tokens; booked at an upper bound
    failed: the provider answered an error and billed nothing
    unknown: the call may have been billed but brought no usable reply; booked at the cost that the provider names, else at
        its reserved maximum
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
"""Calls that are a step of their run."""

WASTE = (ExchangeState.UNKNOWN, ExchangeState.LOST, ExchangeState.LATE)
"""Calls that cost money, or may have, without being a step of their run."""

UNCONFIRMED = (*WASTE, ExchangeState.ESTIMATED)
"""Calls whose booked cost the provider's bill may be below."""


class Exchange(models.Model):
    """One query of a model. The intent is committed before it is sent, the reply before it is acted on.

    (attempt, step) is its place in the period's chats, and `send` counts the sends of that place. `results` are the
    results of the reply's tool calls; the long history is stored as a fingerprint only (see runs.rebuilt_texts).
    `reserved_nano` is the declared maximum of the call, `cost_nano` its booked cost, `thinking_nano` the part of it that
    the reasoning tokens cost, as in periods and runs. `agent` was called; every row names it. `batch` is the batch whose
    line it is, None for a request of its own.
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
    input_tokens = models.PositiveIntegerField(default=0)
    cached_tokens = models.PositiveIntegerField(default=0)
    output_tokens = models.PositiveIntegerField(default=0)
    reasoning_tokens = models.PositiveIntegerField(default=0, db_default=0)
    reserved_nano = models.BigIntegerField(default=0, db_default=0)
    cost_nano = models.BigIntegerField(default=0)
    thinking_nano = models.BigIntegerField(default=0, db_default=0)
    seconds = models.FloatField(null=True)
    created_at = models.DateTimeField(default=timezone.now)
    batch = models.ForeignKey(SurveyBatch, models.CASCADE, null=True, related_name="lines", db_index=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["run", "period_index", "seat", "attempt", "step", "send"], name="each_send_once"
            ),
        ]
        # A covering index of the ledger's sums, filters and order. The rows themselves are large because of the replies.
        indexes = [
            models.Index(fields=["run", "state", "created_at", "agent", "cost_nano", "reserved_nano"], name="ledger"),
            models.Index(fields=["batch"], condition=models.Q(batch__isnull=False), name="lines_of_a_batch"),
        ]
        ordering = ["period_index", "seat", "attempt", "step", "send"]
