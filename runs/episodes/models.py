"""Seasons and their entries, episodes with their seats, and the journal of each seat."""

from typing import Any

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import Organization
from infrastructure.fields import CompressedJSONField
from runs.models import Agent, Experiment, PlayerClass, Run, RunState

PROTOCOL = 1
"""Version of the episode protocol, stored with each episode. Within one version the protocol only gets additions."""

RULES = "2026-2"
"""Version of the rules of ranked play in docs/outside-agents.md."""


class Season(models.Model):
    """A ranked competition of the whole site. Entrants play sealed instances that are drawn from its secret.

    secret: encrypted with the site's key; revealed at the end, so that everybody can draw the instances again
    secret_hash: SHA-256 of the secret, published from the start
    instances: number of instances that an entry plays in each environment and difficulty
    entries: maximum number of entries of one organization
    closes_at: end of play, which an operator may bring forward
    reveals_at: from when workers may reveal the closed season: its announced end, or earlier if an operator asks
    """

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=100)
    secret = models.BinaryField()
    secret_hash = models.CharField(max_length=64)
    environments = models.JSONField()
    difficulties = models.JSONField()
    instances = models.PositiveSmallIntegerField()
    entries = models.PositiveSmallIntegerField(default=3)
    opens_at = models.DateTimeField()
    closes_at = models.DateTimeField()
    reveals_at = models.DateTimeField()
    revealed_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-opens_at", "-id"]

    def __str__(self) -> str:
        return self.name

    @property
    def is_open(self) -> bool:
        return self.opens_at <= timezone.now() < self.closes_at and self.revealed_at is None

    @property
    def state(self) -> str:
        """'planned', 'open', 'closed', 'revealing' while workers store the games, or 'over'."""
        now = timezone.now()
        if self.revealed_at is not None:
            return "over"
        if now >= self.closes_at:
            return "revealing" if now >= self.reveals_at else "closed"
        return "open" if now >= self.opens_at else "planned"


class Entry(models.Model):
    """One attempt of an organization at a season. Attempts are public, so the row outlives its experiment and organization.

    organization: None after its deletion
    organization_key: its id, which stays, because the keys of instances are derived from it
    organization_name: its name when the entry was opened
    number: counts from 1 over the organization's entries and those that the same person opened in other organizations
    episode_count: number of its episodes; if the row of one is deleted, that episode scores 0
    is_out_of_competition: whether a member of the organization was a site operator when the entry was opened or when
        the season closed
    """

    season = models.ForeignKey(Season, models.CASCADE, related_name="entered")
    organization = models.ForeignKey(Organization, models.SET_NULL, null=True, related_name="+")
    organization_key = models.PositiveBigIntegerField()
    organization_name = models.CharField(max_length=100)
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    number = models.PositiveSmallIntegerField()
    agent = models.ForeignKey(Agent, models.SET_NULL, null=True, related_name="+")
    agent_name = models.CharField(max_length=200)
    player_class = models.CharField(max_length=7, choices=PlayerClass)
    experiment = models.OneToOneField(Experiment, models.SET_NULL, null=True, related_name="entry")
    episode_count = models.PositiveSmallIntegerField()
    is_out_of_competition = models.BooleanField(default=False, db_default=False)
    opened_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["season", "organization_key", "number"], name="entries_are_counted"),
        ]
        ordering = ["opened_at", "id"]

    @property
    def organization_shown(self) -> str:
        return self.organization.name if self.organization else self.organization_name


def delete_practice(collector: Any, field: Any, episodes: models.QuerySet["Episode"], using: str) -> None:
    """Delete the practice episodes and all journals of a deleted organization. Ranked episodes stay, because they count."""
    ranked = episodes.exclude(entry=None)
    models.CASCADE(collector, field, episodes.filter(entry=None), using)
    models.SET_NULL(collector, field, ranked, using)
    collector.collect(Seat._base_manager.using(using).filter(episode__in=ranked))


class Ending(models.TextChoices):
    """How an episode ended. Only a finished episode has a score."""

    NONE = "", "In play"
    FINISHED = "finished", "Finished"
    RESIGNED = "resigned", "Resigned"
    EXPIRED = "expired", "Time ran out"
    WITHDRAWN = "withdrawn", "Withdrawn"


class Episode(models.Model):
    """A run that is played through the episode service.

    A practice episode uses a public instance; its periods are stored with its run at once. A ranked episode has an
    `entry` and a sealed instance. Until the season ends, its actions are only in the journal, and `result` keeps its
    score.

    harness: kind, name, version, model and url, as the player declared them
    commitment: SHA-256 of nonce, key and instance, published when a ranked episode opens
    reference: the reference of a sealed instance
    prepared_at: when the reference of the instance became known; no period is played before
    seconds_a_period: time limit of a period, counted from `moved_at`
    due_at: time limit of the whole episode
    period_due_at: time at which the episode ends if a seat has not acted in the current period; at most `due_at`
    """

    run = models.OneToOneField(Run, models.SET_NULL, null=True, related_name="episode")
    organization = models.ForeignKey(Organization, delete_practice, null=True, related_name="episodes")
    entry = models.ForeignKey(Entry, models.CASCADE, null=True, related_name="episodes")
    place = models.PositiveSmallIntegerField(default=0)
    environment = models.CharField(max_length=40)
    difficulty = models.CharField(max_length=60)
    harness = models.JSONField()
    protocol = models.PositiveSmallIntegerField(default=PROTOCOL)
    rules = models.CharField(max_length=20, default=RULES)
    commitment = models.CharField(max_length=64, blank=True, default="")
    reference = CompressedJSONField(null=True)
    ending = models.CharField(max_length=9, choices=Ending, default=Ending.NONE, blank=True)
    periods_played = models.PositiveSmallIntegerField(default=0)
    result = models.JSONField(null=True)
    seconds_a_period = models.PositiveIntegerField()
    opened_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    opened_at = models.DateTimeField(default=timezone.now)
    prepared_at = models.DateTimeField(null=True)
    moved_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField()
    period_due_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [models.Index(fields=["period_due_at"], condition=models.Q(ending=""), name="episodes_in_play")]
        ordering = ["-id"]

    def __str__(self) -> str:
        return f"episode {self.pk}"

    @property
    def is_ranked(self) -> bool:
        return self.entry_id is not None

    @property
    def derivation_path(self) -> str:
        """The place of a ranked episode in its season. Its key and nonce are derived from this and the season's secret."""
        assert self.entry is not None
        return f"{self.entry.organization_key}/{self.entry.number}/{self.place}"

    @property
    def in_play(self) -> bool:
        return self.ending == Ending.NONE and self.kept_run is not None and self.kept_run.state == RunState.OPEN

    @property
    def played_run(self) -> Run:
        """The run of an episode that is played or shown. It must not be deleted for good."""
        assert self.run is not None
        return self.run

    @property
    def kept_run(self) -> Run | None:
        """The run. None if it was deleted, even while the deletion can be undone."""
        return self.run if self.run is not None and self.run.deleted_at is None else None


class Seat(models.Model):
    """One player of an episode. Its token allows playing this seat and nothing else; only the hash of the token is stored.

    period: the next period in which the seat acts
    entries: number of entries in its journal; calls: number of calls in the current period
    size: bytes of the arguments in its journal; period_size: bytes of the arguments of the calls in the current period
    chain: hash of its newest journal entry
    """

    episode = models.ForeignKey(Episode, models.CASCADE, related_name="seats")
    name = models.CharField(max_length=10)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    period = models.PositiveSmallIntegerField(default=0)
    calls = models.PositiveSmallIntegerField(default=0)
    entries = models.PositiveIntegerField(default=0)
    size = models.PositiveIntegerField(default=0, db_default=0)
    period_size = models.PositiveIntegerField(default=0, db_default=0)
    chain = models.CharField(max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["episode", "name"], name="each_seat_once")]
        ordering = ["name"]


class JournalEntry(models.Model):
    """A call or an action of a seat, in the order of acceptance. Rows are never changed.

    digest: SHA-256 of period, tool and arguments, which identifies a repeated call
    chain: SHA-256 of the previous entry's chain and this entry's digest
    """

    seat = models.ForeignKey(Seat, models.CASCADE, related_name="journal")
    number = models.PositiveIntegerField()
    period = models.PositiveSmallIntegerField()
    is_action = models.BooleanField(default=False)
    tool = models.CharField(max_length=100)
    arguments = CompressedJSONField()
    digest = models.CharField(max_length=64)
    chain = models.CharField(max_length=64)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["seat", "number"], name="journal_is_counted"),
            models.UniqueConstraint(fields=["seat", "digest"], name="each_call_once"),
            models.UniqueConstraint(
                fields=["seat", "period"], condition=models.Q(is_action=True), name="one_action_a_period"
            ),
        ]
        ordering = ["number"]
