from django.conf import settings
from django.db import models

from runs.models import Agent, Experiment


class ComparisonState(models.TextChoices):
    """States of a comparison. Only in the state `playing` may further stages start.

    different: it ended, early or after all stages, because a difference was found
    futile: it ended because no difference of the planned size can be found any more
    undecided: all stages were played and no difference was found
    continued: a person let all runs play; no further stage can stop the experiment
    withdrawn: a person cancelled the runs of later stages
    """

    PLAYING = "playing", "Playing"
    DIFFERENT = "different", "Difference found"
    FUTILE = "futile", "Stopped without a verdict"
    UNDECIDED = "undecided", "No difference found"
    CONTINUED = "continued", "Continued by a person"
    WITHDRAWN = "withdrawn", "Cancelled by a person"


class StagedComparison(models.Model):
    """The comparison of two agents in an experiment, over all its environments and difficulties.

    Differences are the second agent's score minus the first's, in points of 100.

    sizes: number of seeds after each stage
    levels: cumulative error of the first kind that may be spent up to each stage (stats.designs.sequential.spent)
    seeds: all seeds, in the order in which they are played; cells: number of instances of each seed
    planned: the difference that the comparison is planned to find, None if none was given
    stage: the stage being played, counted from 1; after the end, the last one that was played
    saved_runs: number of runs that were not played; saved_nano: their expected cost, None if no price is known
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

    @property
    def is_playing(self) -> bool:
        return self.state == ComparisonState.PLAYING

    @property
    def is_last(self) -> bool:
        return self.stage == len(self.sizes)

    def seeds_of(self, stage: int) -> list[int]:
        """The seeds that this stage adds."""
        return list(self.seeds[self.sizes[stage - 2] if stage > 1 else 0 : self.sizes[stage - 1]])


class StageLook(models.Model):
    """The result after a stage, computed once. Fields as in `Look`; difference and p are None if n is 0."""

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
