"""Paid calls outside of runs."""

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import Organization
from runs.models.records import ExchangeState


class JobCall(models.Model):
    """A call of a model for a background job. The months of `user` and of the organization pay for it.

    The intent is committed with the call's maximum cost before it is sent, and the outcome with its cost. Rows outlive the
    job that sent them, since the money was spent.

    job: what the call was sent for, such as "notes analysis 12"
    model: the model's name
    tokens: all that the provider billed
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
