from typing import TYPE_CHECKING, Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models import Organization
from analysis.models import Leaderboard
from analysis.notes.models import NotesAnalysis
from runs.models import Experiment, Run


class LinkKind(models.TextChoices):
    LEADERBOARD = "leaderboard", "Leaderboard"
    EXPERIMENT = "experiment", "Experiment"
    RUN = "run", "Run"
    NOTESANALYSIS = "notesanalysis", "Notes analysis"
    FIGURE = "figure", "Figure"


UNDOABLE = ("leaderboard", "experiment", "run")
"""Targets with soft deletion, which hides them for a day. Other targets are deleted at once, with their links."""

TARGETS = (*UNDOABLE, "notesanalysis")


def only(target: str, targets: tuple[str, ...] = TARGETS) -> Q:
    """Return a condition for rows with this target and no other of `targets`."""
    return Q(*((f"{name}__isnull", name != target) for name in targets))


Target = Leaderboard | Experiment | Run | NotesAnalysis


class Shown(models.Model):
    """Base of rows that show one thing to visitors. Exactly one of the foreign keys in `targets` is set.

    figure: name of the figure, if only one is shown; empty for the whole thing
    with_notes: whether visitors may read the notes, calls and thinking of each period
    """

    targets: ClassVar[tuple[str, ...]] = TARGETS
    figure: Any = ""

    class Meta:
        abstract = True

    if TYPE_CHECKING:
        organization: Any  # a foreign key or a property
        leaderboard: models.ForeignKey[Leaderboard | None]
        experiment: models.ForeignKey[Experiment | None]
        run: models.ForeignKey[Run | None]
        with_notes: models.BooleanField[bool, bool]

    @staticmethod
    def target_exists() -> Q:
        """Return a condition for rows whose thing is not deleted. After an undo, they work again."""
        return Q(*((f"{name}__deleted_at", None) for name in UNDOABLE))

    @property
    def kind(self) -> LinkKind:
        return LinkKind.FIGURE if self.figure else LinkKind(self.target_kind)

    @property
    def target_kind(self) -> str:
        return next(name for name in self.targets if getattr(self, f"{name}_id") is not None)

    @property
    def target(self) -> Target:
        linked_row: Target = getattr(self, self.target_kind)
        return linked_row

    @property
    def target_id(self) -> int:
        return int(getattr(self, f"{self.target_kind}_id"))


class ShareLink(Shown):
    """A link that shows one thing, read-only, to everybody who has the link.

    If the thing is deleted, the link is deleted too. It is only hidden while that can be undone. Exactly one of
    leaderboard, experiment, run and notesanalysis is set. Only the hash of the token is stored.

    figure: name of the figure, if the link shows only one; empty for the whole thing
    is_public: whether the link never expires and search engines may index it
    with_notes: whether visitors may read the notes, calls and thinking of each period, or paragraphs that an analysis
        quotes
    """

    organization = models.ForeignKey(Organization, models.CASCADE, related_name="share_links")
    leaderboard = models.ForeignKey(Leaderboard, models.CASCADE, null=True, blank=True, related_name="share_links")
    experiment = models.ForeignKey(Experiment, models.CASCADE, null=True, blank=True, related_name="share_links")
    run = models.ForeignKey(Run, models.CASCADE, null=True, blank=True, related_name="share_links")
    notesanalysis = models.ForeignKey(NotesAnalysis, models.CASCADE, null=True, blank=True, related_name="share_links")
    figure = models.CharField(max_length=60, blank=True)
    token_hash = models.CharField(max_length=64, unique=True, editable=False)
    last_four = models.CharField(max_length=4, editable=False)
    label = models.CharField(max_length=100, blank=True)
    with_notes = models.BooleanField(default=False)
    is_public = models.BooleanField(default=False)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    views = models.PositiveBigIntegerField(default=0)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=only("leaderboard") | only("experiment") | only("run") | only("notesanalysis"),
                name="a_link_shows_one_thing",
            ),
            models.CheckConstraint(
                condition=Q(is_public=True, expires_at=None) | Q(is_public=False, expires_at__isnull=False),
                name="only_public_links_last",
            ),
        ]
        indexes = [models.Index(fields=["organization", "-id"], name="newest_links_first")]

    @staticmethod
    def open_now() -> Q:
        return Q(revoked_at=None) & (Q(expires_at=None) | Q(expires_at__gt=timezone.now()))

    @property
    def state(self) -> str:
        """'live', 'revoked' or 'expired'."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= timezone.now() else "live"
