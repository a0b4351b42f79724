import secrets

from django.db import models
from django.db.models import Q, Value
from django.utils import timezone

from runs.models.runs import Run


class BatchState(models.TextChoices):
    """States of a batch.

    unsent: lines are stored, and nothing was sent or the outcome of the submission is not known yet
    submitted: the provider has it
    cancelling: the provider was asked to end it, since its run is over
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

    mark: unique text by which the batch is recognized at the provider after a crash
    provider_id: the provider's id, empty until it is known
    learned: what the provider was known to take when the lines were written; all bodies follow from it
    sent_at: when the last submission began, None before the first
    sends: submissions and looks that failed since the last success
    answered: lines with an outcome at the provider, as it last said
    poll_at: when a worker may next look after the batch of a run that is over
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

    def __str__(self) -> str:
        return f"batch {self.mark} of run {self.run_id}"
