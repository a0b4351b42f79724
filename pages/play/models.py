"""Studies, their participants, and what a player typed and has not sent yet."""

from urllib.parse import quote

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import Organization
from environments.registry import ENVIRONMENTS
from runs.episodes.models import Ending, Seat
from runs.episodes.refusals import ending_of

MOST_NAME = 50
"""The agent of a study is called 'NAME (people)', and a harness has a name of at most 60 characters."""

LABEL = "{label}"
"""In the address of the end, the place of the participant's label."""


class Study(models.Model):
    """A game that participants play by links, without an account.

    name: for members, and of the agent on leaderboards; title: what participants read instead
    environment ... rival: what is played, as in LaunchPlan. rival: slug of a baseline; empty if another participant takes
        the second seat of a market of two
    seeds: such as '0-2', in turn by participant; empty for a new one each, from 0
    practice: periods of the practice round, which is not stored
    consent: the text that participants agree to
    fee, rate: payoff of a finished game, the rate for each point of 100
    completion_url, completion_code: where a participant goes at the end, and the code that proves it. `{label}` in the
        address stands for the participant's label
    open_hash: hash of the secret of the open link, empty without one
    closes_at: since when nobody begins any more
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="studies")
    name = models.CharField(max_length=MOST_NAME)
    title = models.CharField(max_length=100)
    environment = models.CharField(max_length=40)
    difficulty = models.CharField(max_length=60)
    variant = models.CharField(max_length=60, default="main")
    seeds = models.CharField(max_length=200, blank=True)
    periods = models.PositiveSmallIntegerField(null=True)
    rival = models.CharField(max_length=200, blank=True)
    practice = models.PositiveSmallIntegerField(default=2)
    consent = models.TextField()
    fee = models.DecimalField(max_digits=8, decimal_places=2, default=0)
    rate = models.DecimalField(max_digits=8, decimal_places=4, default=0)
    currency = models.CharField(max_length=3, default="USD")
    shows_payoff = models.BooleanField(default=False)
    completion_url = models.CharField(max_length=500, blank=True)
    completion_code = models.CharField(max_length=100, blank=True)
    most_participants = models.PositiveIntegerField(default=100)
    open_hash = models.CharField(max_length=64, blank=True, editable=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    closes_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["organization", "name"], name="one_study_per_name"),
            models.UniqueConstraint(
                fields=["open_hash"], condition=~models.Q(open_hash=""), name="one_study_per_open_link"
            ),
        ]
        ordering = ["-id"]
        verbose_name_plural = "studies"

    def __str__(self) -> str:
        return self.name

    @property
    def is_open(self) -> bool:
        return self.closes_at is None or self.closes_at > timezone.now()

    @property
    def game(self) -> str:
        """'Pricing BASIC'"""
        return f"{ENVIRONMENTS[self.environment].title} {self.difficulty}"

    @property
    def is_paired(self) -> bool:
        """Whether two participants play each game."""
        return not self.rival and len(ENVIRONMENTS[self.environment].seats_of(self.variant)) > 1

    @property
    def player_name(self) -> str:
        """The name of the study's agent."""
        return f"{self.name} (people)"


class Participant(models.Model):
    """A person who takes part in a study by a link of their own. Only the hash of the link's secret is stored.

    number: in the study, from 1
    label: as the participant's link or the platform says, such as a Prolific id
    label_is_typed: nobody checked the label, which came with the address or was typed by the participant
    consent: the text they agreed to
    practice: the actions of the practice round, until the game begins
    seat: of their game, None until it begins
    was_left: the other player of their market of two gave the game up, or lost their link
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="participants")
    number = models.PositiveIntegerField()
    secret_hash = models.CharField(max_length=64, unique=True, editable=False)
    label = models.CharField(max_length=100, blank=True)
    label_is_typed = models.BooleanField(default=False)
    consent = models.TextField(blank=True)
    consented_at = models.DateTimeField(null=True)
    practice = models.JSONField(default=list)
    seat = models.OneToOneField(Seat, models.SET_NULL, null=True, related_name="participant")
    was_left = models.BooleanField(default=False)
    revoked_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["study", "number"], name="participants_are_counted"),
            models.UniqueConstraint(
                fields=["study", "label", "label_is_typed"],
                condition=~models.Q(label=""),
                name="one_participant_per_label",
            ),
        ]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"participant {self.number} of study {self.study_id}"

    @property
    def is_left_alone(self) -> bool:
        """Whether their game ended because the other player of a market of two left it or did not act in time."""
        if self.was_left or self.seat is None or not self.study.is_paired:
            return self.was_left
        return ending_of(self.seat.episode) == Ending.EXPIRED and self.seat.period > self.seat.episode.periods_played

    @property
    def completion_address(self) -> str:
        """Where the participant goes at the end."""
        return self.study.completion_url.replace(LABEL, quote(self.label, safe=""))


class Draft(models.Model):
    """What the player of a seat typed in a period and has not sent yet.

    values: of the fields of the action by name
    """

    seat = models.OneToOneField(Seat, models.CASCADE, related_name="draft")
    period = models.PositiveSmallIntegerField()
    values = models.JSONField(default=dict)
    notes = models.TextField(blank=True)
    saved_at = models.DateTimeField(default=timezone.now)
