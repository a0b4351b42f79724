"""Studies, their participants, and a player's unsent input."""

from urllib.parse import quote

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import Organization
from environments.registry import ENVIRONMENTS
from runs.episodes.models import Ending, Seat
from runs.episodes.refusals import ending_of
from runs.selectors.cells import game_title

MOST_NAME = 50
"""Longest name of a study. Its agent is called 'NAME (people)', and a harness name has at most 60 characters."""

LABEL = "{label}"
"""Placeholder for the participant's label in the completion address."""


class Study(models.Model):
    """A game that participants play by links, without an account.

    name: for members, and part of the agent's name on leaderboards; title: for participants, who do not see the name
    environment ... rival: the game, as in LaunchPlan. rival: slug of a baseline; empty if another participant takes
    the second seat of a market of two
    seeds: such as '0-2', assigned to the games in turn; empty for the seeds 0, 1, 2 and so on
    practice: periods of the practice round, which is not stored
    consent: the text that participants agree to
    fee, rate: payoff of a finished game, and additional payoff for each point of 100
    shows_result: whether participants see their path against the optimum and their place at the end
    completion_url: the page for participants at the end; `{label}` in it stands for the participant's label
    completion_code: the code that proves completion
    open_hash: hash of the secret of the open link, empty if there is none
    closes_at: the time from which nobody can begin any more
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
    shows_result = models.BooleanField(default=False, db_default=False)
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
        """The game in words, as 'Pricing BASIC'."""
        return game_title(self.environment, self.difficulty)

    @property
    def is_paired(self) -> bool:
        """Whether two participants play each game together."""
        return not self.rival and len(ENVIRONMENTS[self.environment].seats_of(self.variant)) > 1

    @property
    def player_name(self) -> str:
        """The name of the study's agent."""
        return f"{self.name} (people)"


class Participant(models.Model):
    """A person who takes part in a study by a personal link. Only the hash of the link's secret is stored.

    number: number in the study, from 1
    label: from the participant's link or from the platform, such as a Prolific id
    label_is_typed: whether nobody checked the label, since it came with the address or was typed by the participant
    consent: the text that the participant agreed to
    practice: the actions of the practice round, until the game begins
    seat: the seat of the game, None until it begins
    was_left: whether the other player of the market resigned or had their link revoked
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
        """Whether the game ended because the other player of a market of two left it or did not act in time."""
        if self.was_left or self.seat is None or not self.study.is_paired:
            return self.was_left
        return ending_of(self.seat.episode) == Ending.EXPIRED and self.seat.period > self.seat.episode.periods_played

    @property
    def completion_address(self) -> str:
        """The address to which the participant is sent at the end."""
        return self.study.completion_url.replace(LABEL, quote(self.label, safe=""))


class Draft(models.Model):
    """A player's unsent input in a period of a seat.

    values: values of the action's fields, by name
    """

    seat = models.OneToOneField(Seat, models.CASCADE, related_name="draft")
    period = models.PositiveSmallIntegerField()
    values = models.JSONField(default=dict)
    notes = models.TextField(blank=True)
    saved_at = models.DateTimeField(default=timezone.now)
