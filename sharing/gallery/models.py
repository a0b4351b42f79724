from typing import ClassVar

from django.db import models

from accounts.models import Organization
from analysis.models import Leaderboard
from runs.models import Experiment, Run
from sharing.models import UNDOABLE, Shown, only

MOST_TITLE, MOST_TEXT, MOST_AUTHORS, MOST_LINE = 120, 5000, 500, 200


class Gallery(models.Model):
    """What an organization shows to the public, with a title, a text and a citation. An organization has at most one.

    slug: last part of its address
    text: Markdown, as in comments
    authors: names for the citation, one a line
    publication: where it was published, such as a journal or a working paper
    doi: digital object identifier, such as '10.1000/182'
    opened_at: None while it is closed
    """

    organization = models.OneToOneField(Organization, models.CASCADE, related_name="gallery")
    title = models.CharField(max_length=MOST_TITLE)
    slug = models.SlugField(unique=True)
    text = models.TextField(blank=True)
    authors = models.TextField(blank=True)
    publication = models.CharField(max_length=MOST_LINE, blank=True)
    doi = models.CharField(max_length=MOST_LINE, blank=True)
    opened_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["title", "id"]

    def __str__(self) -> str:
        return self.title

    @property
    def is_open(self) -> bool:
        return self.opened_at is not None

    @property
    def author_names(self) -> list[str]:
        return [name.strip() for name in self.authors.splitlines() if name.strip()]


class GalleryEntry(Shown):
    """A board, an experiment or a run in a gallery. It shows the present state.

    slug: last part of its address; it stays when the thing is renamed
    caption: what the publisher says about it
    position: order in the gallery
    """

    targets: ClassVar[tuple[str, ...]] = UNDOABLE

    gallery = models.ForeignKey(Gallery, models.CASCADE, related_name="entries")
    leaderboard = models.ForeignKey(Leaderboard, models.CASCADE, null=True, blank=True, related_name="+")
    experiment = models.ForeignKey(Experiment, models.CASCADE, null=True, blank=True, related_name="+")
    run = models.ForeignKey(Run, models.CASCADE, null=True, blank=True, related_name="+")
    slug = models.SlugField()
    caption = models.CharField(max_length=300, blank=True)
    with_notes = models.BooleanField(default=False)
    position = models.PositiveSmallIntegerField()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=only("leaderboard", UNDOABLE) | only("experiment", UNDOABLE) | only("run", UNDOABLE),
                name="an_entry_shows_one_thing",
            ),
            models.UniqueConstraint(fields=["gallery", "slug"], name="one_entry_per_address"),
        ]
        ordering = ["position", "id"]

    @property
    def organization(self) -> Organization:
        return self.gallery.organization
