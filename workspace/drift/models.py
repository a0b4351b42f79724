from datetime import timedelta

from django.conf import settings
from django.db import models

from accounts.models import Organization
from runs.models import Agent, Experiment


class Interval(models.TextChoices):
    """How often a round is launched.

    SPACING has the minimum time between two launches, LOOKS the maximum number of looks at the data a year.
    """

    MONTH = "month", "Every month"
    WEEK = "week", "Every week"


SPACING = {Interval.MONTH: timedelta(days=30.5), Interval.WEEK: timedelta(days=7)}
LOOKS = {Interval.MONTH: 12, Interval.WEEK: 53}


class WatchState(models.TextChoices):
    """States of a watch. Only active watches launch rounds. A person can resume a paused watch, but not an ended one."""

    ACTIVE = "active", "Active"
    PAUSED = "paused", "Paused"
    ENDED = "ended", "Ended"


class Watch(models.Model):
    """An agent that replays fixed instances on a schedule.

    spec: the launch of every round, as from LaunchPlan.as_spec; budget_nano: budget of each round, None for no cap
    baseline: number of the current baseline, from 1; later rounds are compared with the first rounds of this number
    reason: why the watch was paused or ended, unless a person did it; due_at: time of the next launch
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="watches")
    agent = models.ForeignKey(Agent, models.CASCADE, related_name="watches")
    spec = models.JSONField()
    interval = models.CharField(max_length=5, choices=Interval, default=Interval.MONTH)
    budget_nano = models.BigIntegerField(null=True)
    baseline = models.PositiveSmallIntegerField(default=1)
    state = models.CharField(max_length=6, choices=WatchState, default=WatchState.ACTIVE)
    reason = models.TextField(blank=True, default="")
    due_at = models.DateTimeField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["id"]
        indexes = [models.Index(fields=["due_at"], condition=models.Q(state="active"), name="watch_due")]

    def __str__(self) -> str:
        return f"watch {self.pk}"

    @property
    def looks(self) -> int:
        return LOOKS[Interval(self.interval)]

    @property
    def is_active(self) -> bool:
        return self.state == WatchState.ACTIVE

    @property
    def is_paused(self) -> bool:
        return self.state == WatchState.PAUSED


class RoundState(models.TextChoices):
    """States of a round. refused: not launched, because it would have cost more than its budget"""

    PLAYING = "playing", "Playing"
    ENDED = "ended", "Ended"
    REFUSED = "refused", "Not launched"


class Round(models.Model):
    """A replay of a watch, played as an ordinary experiment. A refused round has no experiment.

    baseline: the watch's baseline at the launch; in_baseline: whether the round is part of the baseline
    facts: the models, service tiers and upstreams that answered, as from workspace.drift.facts.facts_of
    n, difference, p, level, can_tell: as in stats.designs.replays.Replayed, difference in points; None in a baseline
    """

    watch = models.ForeignKey(Watch, models.CASCADE, related_name="rounds")
    number = models.PositiveIntegerField()
    baseline = models.PositiveSmallIntegerField()
    in_baseline = models.BooleanField()
    experiment = models.OneToOneField(Experiment, models.CASCADE, null=True, related_name="round")
    state = models.CharField(max_length=7, choices=RoundState, default=RoundState.PLAYING)
    facts = models.JSONField(default=dict)
    n = models.PositiveIntegerField(null=True)
    difference = models.FloatField(null=True)
    p = models.FloatField(null=True)
    level = models.FloatField(null=True)
    can_tell = models.BooleanField(null=True)
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["number"]
        constraints = [models.UniqueConstraint(fields=["watch", "number"], name="one_round_per_number")]
        indexes = [models.Index(fields=["state"], condition=models.Q(state="playing"), name="round_playing")]


class NoticeKind(models.TextChoices):
    """Kinds of notices: a changed score, other answering models, a round not launched, and a stopped watch."""

    SCORE = "score", "Score"
    MODEL = "model", "Answering model"
    TIER = "tier", "Service tier"
    UPSTREAM = "upstream", "Upstream"
    REFUSED = "refused", "Round not launched"
    STOPPED = "stopped", "Watch stopped"


class Notice(models.Model):
    """A message about a watch for members. The home page shows it until a person has seen it."""

    watch = models.ForeignKey(Watch, models.CASCADE, related_name="notices")
    round = models.ForeignKey(Round, models.CASCADE, null=True, related_name="notices")
    kind = models.CharField(max_length=8, choices=NoticeKind)
    sentence = models.TextField()
    created_at = models.DateTimeField(auto_now_add=True)
    seen_at = models.DateTimeField(null=True)
    seen_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")

    class Meta:
        ordering = ["-id"]
        indexes = [models.Index(fields=["watch"], condition=models.Q(seen_at=None), name="notice_open")]
