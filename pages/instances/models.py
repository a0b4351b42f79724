from django.conf import settings
from django.db import models

from infrastructure.claims import Claimed
from runs.models import Design


class MeasurementState(models.TextChoices):
    """States of a measurement. Workers turn `waiting` into `done` or `failed`; a person cancels."""

    WAITING = "waiting", "Waiting"
    DONE = "done", "Done"
    CANCELLED = "cancelled", "Cancelled"
    FAILED = "failed", "Failed"


class Measurement(Claimed):
    """The measured difficulty of a design: a worker plays the baselines on it and on the published difficulties.

    measured: the design's settings at the measurement; once the design changes, they are outdated
    stage: the worker's present game in words; `done` and `total` count games
    problem: the reason of a failure, as a sentence
    """

    design = models.OneToOneField(Design, models.CASCADE, related_name="measurement")
    measured = models.JSONField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    state = models.CharField(max_length=9, choices=MeasurementState, default=MeasurementState.WAITING)
    stage = models.CharField(max_length=100, blank=True, default="")
    problem = models.TextField(blank=True, default="")

    @property
    def is_working(self) -> bool:
        return self.state == MeasurementState.WAITING

    @property
    def is_outdated(self) -> bool:
        return bool(self.measured != self.design.settings)


class BaselineScore(models.Model):
    """The score of a baseline on an instance, played in memory. Later measurements reuse it.

    It depends on public generators and rules alone, so all organizations share the rows of the published difficulties.

    recipe: hash of the recipe of the instance
    version: version of EconEvals that played it
    score: None if the optimum was not proven
    """

    recipe = models.CharField(max_length=64)
    baseline = models.CharField(max_length=60)
    version = models.CharField(max_length=20)
    score = models.FloatField(null=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["recipe", "baseline", "version"], name="one_score_per_game")]
