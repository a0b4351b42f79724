from django.conf import settings
from django.db import models

from runs.models import Agent, Experiment


class ComparisonState(models.TextChoices):
    """States of a comparison. Only `playing` ones start further stages.

    different, futile: stopped early or at the end, because a difference was found, or none of the planned size can be
    undecided: all stages were played and no difference was found
    continued: a person let all runs play; no further stage can stop the experiment
    withdrawn: the runs of later stages were cancelled by a person
    """

    PLAYING = "playing", "Playing"
    DIFFERENT = "different", "Difference found"
    FUTILE = "futile", "Stopped without a verdict"
    UNDECIDED = "undecided", "No difference found"
    CONTINUED = "continued", "Continued by a person"
    WITHDRAWN = "withdrawn", "Cancelled by a person"


class StagedComparison(models.Model):
    """The comparison of two agents that an experiment was launched for, over all its environments and difficulties.

    Differences are the second agent's score minus the first's, in points of 100.

    sizes: seeds after each stage; levels: the error that may be used up to each stage (stats.sequential.spent)
    seeds: all seeds, in the order in which they are played; cells: instances of each seed
    planned: the difference that the comparison shall find, None where none was named
    stage: the one being played, from 1; the last one played where the comparison has ended
    saved_runs: runs that were not played; saved_nano: their expected cost, None where no price is known
    """

    experiment = models.OneToOneField(Experiment, models.CASCADE, related_name="staged")
    first = models.ForeignKey(Agent, models.PROTECT, related_name="+")
    second = models.ForeignKey(Agent, models.PROTECT, related_name="+")
    sizes = models.JSONField()
    levels = models.JSONField()
    seeds = models.JSONField()
    cells = models.PositiveSmallIntegerField()
    planned = models.FloatField(null=True)
    stage = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=10, choices=ComparisonState, default=ComparisonState.PLAYING)
    ended_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    ended_at = models.DateTimeField(null=True)
    saved_runs = models.PositiveIntegerField(default=0)
    saved_nano = models.BigIntegerField(null=True)

    class Meta:
        indexes = [models.Index(fields=["state"], condition=models.Q(state="playing"), name="comparison_playing")]

    def __str__(self) -> str:
        return f"comparison of experiment {self.experiment_id}"

    @property
    def is_playing(self) -> bool:
        return self.state == ComparisonState.PLAYING

    @property
    def is_last(self) -> bool:
        return self.stage == len(self.sizes)

    def seeds_of(self, stage: int) -> list[int]:
        """The seeds that begin with a stage."""
        before = self.sizes[stage - 2] if stage > 1 else 0
        return list(self.seeds[before : self.sizes[stage - 1]])


class StageLook(models.Model):
    """The result after a stage, computed once; fields as of stats.sequential.Look. difference and p: None if n is 0"""

    comparison = models.ForeignKey(StagedComparison, models.CASCADE, related_name="looks")
    stage = models.PositiveSmallIntegerField()
    n = models.PositiveIntegerField()
    difference = models.FloatField(null=True)
    p = models.FloatField(null=True)
    exact = models.BooleanField(default=True)
    boundary = models.FloatField()
    conditional_power = models.FloatField(null=True)
    computed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["comparison", "stage"], name="one_look_per_stage")]
        ordering = ["stage"]
