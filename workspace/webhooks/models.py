"""Webhooks, events, and deliveries of events to webhooks."""

import uuid
from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import Organization
from agents.addresses import parts_of
from runs.models import Experiment


class EventKind(models.TextChoices):
    """The types of events that webhooks report."""

    EXPERIMENT_FINISHED = "experiment.finished", "Experiment finished"
    RUN_FINISHED = "run.finished", "Run finished"
    RUN_FAILED = "run.failed", "Run failed"
    RUN_PAUSED = "run.paused", "Run paused"
    BUDGET_ALERT = "budget.alert", "Budget alert"
    DRIFT_NOTICED = "watch.noticed", "Drift noticed"
    PING = "ping", "Test"


class MessageForm(models.TextChoices):
    """The format of a webhook's messages. Mattermost and Google Chat accept Slack's format."""

    EVENT = "event", "The event as JSON"
    TEXT = "text", "A sentence for Slack and the like"
    CONTENT = "content", "A sentence for Discord"


class Webhook(models.Model):
    """An address that receives the chosen events, unless `paused_at` is set.

    An owner can pause a webhook. If it failed too often, it is paused too, and `off_reason` is set. `sealed_secret` is
    the encrypted signing secret. After a rotation, `former_secret` also signs until `former_until`.
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="webhooks")
    url = models.CharField(max_length=500)
    events = models.JSONField(default=list)
    form = models.CharField(max_length=7, choices=MessageForm, default=MessageForm.EVENT, db_default=MessageForm.EVENT)
    sealed_secret = models.BinaryField(editable=False)
    former_secret = models.BinaryField(default=b"", editable=False)
    former_until = models.DateTimeField(null=True, editable=False)
    paused_at = models.DateTimeField(null=True)
    off_reason = models.TextField(blank=True, default="")
    failures = models.PositiveIntegerField(default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        db_table = "runs_webhook"
        ordering = ["id"]

    def __str__(self) -> str:
        return self.url

    @property
    def host(self) -> str:
        """The part of the address that may be logged. The rest may contain a secret of the receiver."""
        return parts_of(self.url).netloc

    @property
    def former_signs(self) -> bool:
        return bool(self.former_secret) and self.former_until is not None and self.former_until > timezone.now()

    @property
    def kinds(self) -> list[str]:
        """Labels of the chosen events, in the order of EventKind."""
        return [kind.label for kind in EventKind if kind in self.events]


class Event(models.Model):
    """A message to send.

    `body` is the JSON text that is signed. It is written in the transaction of the change that it reports.

    experiment: the subject of the event, which is deleted with it; None for monthly budgets and tests
    """

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    organization = models.ForeignKey(Organization, models.CASCADE, related_name="webhook_events")
    experiment = models.ForeignKey(Experiment, models.CASCADE, null=True, related_name="+")
    kind = models.CharField(max_length=20, choices=EventKind)
    body = models.TextField()
    created_at = models.DateTimeField(default=timezone.now, db_index=True)

    class Meta:
        db_table = "runs_event"

    @property
    def public_id(self) -> str:
        return f"evt_{self.id.hex}"


class DeliveryState(models.TextChoices):
    """States of a delivery.

    Waiting ones are sent at `due_at`; failed ones are sent again only if a person asks for it.
    """

    WAITING = "waiting", "Waiting"
    DELIVERED = "delivered", "Delivered"
    FAILED = "failed", "Failed"


class Delivery(models.Model):
    """The delivery of an event to a webhook.

    A sender first increments `attempts`, and moves `due_at` beyond the longest possible request. Only the latest
    attempt may record its result, so `attempts` is a fence. `attempts_before` is the number of attempts before the
    last manual resend. The columns from `status` on describe the latest finished attempt: `seconds` is its duration,
    `answer` the first bytes of the response body as text, `problem` the failure as a sentence.
    """

    webhook = models.ForeignKey(Webhook, models.CASCADE, related_name="deliveries")
    event = models.ForeignKey(Event, models.CASCADE, related_name="deliveries")
    state = models.CharField(max_length=10, choices=DeliveryState, default=DeliveryState.WAITING)
    attempts = models.PositiveIntegerField(default=0)
    attempts_before = models.PositiveIntegerField(default=0)
    due_at = models.DateTimeField(default=timezone.now)
    status = models.PositiveSmallIntegerField(null=True)
    seconds = models.FloatField(null=True)
    answer = models.TextField(blank=True, default="")
    problem = models.TextField(blank=True, default="")
    attempted_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        db_table = "runs_delivery"
        constraints = [models.UniqueConstraint(fields=["webhook", "event"], name="each_event_once_a_webhook")]
        indexes = [
            models.Index(fields=["due_at"], condition=models.Q(state="waiting"), name="delivery_due"),
            models.Index(fields=["webhook", "-id"], name="delivery_newest_first"),
        ]

    @property
    def next_at(self) -> datetime | None:
        """The time of the next attempt. None until the first attempt has ended, and if there is no next attempt."""
        return self.due_at if self.state == DeliveryState.WAITING and self.attempted_at else None
