"""Reads of galleries. Visitors find open ones by their address, owners read that of their organization."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils.text import get_text_list

from accounts.models import Organization
from analysis.models import Leaderboard
from runs.models import Experiment
from sharing.gallery.models import Gallery, GalleryEntry
from sharing.kinds import KINDS, title_of
from sharing.selectors import BULKY

MOST_CHOICES = 200
"""The number of boards, and of experiments, among which an owner chooses; the newest."""

RELATED = ("leaderboard", "experiment", "run__agent", "run__rival", "run__instance")


@dataclass(frozen=True)
class EntryRow:
    """An entry in a list. `content` says what visitors see of it."""

    entry: GalleryEntry

    @cached_property
    def title(self) -> str:
        return title_of(self.entry)

    @property
    def label(self) -> str:
        return self.entry.kind.label

    @property
    def content(self) -> str:
        kind = KINDS[self.entry.target_kind]
        board = self.entry.leaderboard
        described = f", with its description “{board.description}”" if board and board.description else ""
        notes = f"; {kind.notes}" if self.entry.with_notes else ""
        return f"{kind.content}{described}{notes}"


def gallery_of(organization: Organization) -> Gallery:
    """The gallery of an organization; one that is not stored yet if it has none."""
    gallery = Gallery.objects.select_related("organization").filter(organization=organization).first()
    title = f"Results of {organization.name}"[:120]
    return gallery or Gallery(organization=organization, title=title, slug=organization.slug)


def open_galleries() -> QuerySet[Gallery]:
    return Gallery.objects.filter(opened_at__isnull=False).select_related("organization")


def open_gallery_or_404(slug: str) -> Gallery:
    return get_object_or_404(open_galleries(), slug=slug)


def entry_rows(gallery: Gallery) -> list[EntryRow]:
    """The entries in order, without those whose thing is deleted. One query."""
    entries = GalleryEntry.objects.filter(GalleryEntry.target_exists(), gallery_id=gallery.pk)
    bulky = [name for name in BULKY if name.startswith("run__")]
    return [EntryRow(entry) for entry in entries.select_related(*RELATED).defer(*bulky)]


def entry_in(gallery: Gallery, slug: str) -> GalleryEntry:
    """An entry with its thing, as its pages need it. Raises Http404."""
    rows = GalleryEntry.objects.filter(GalleryEntry.target_exists(), gallery_id=gallery.pk)
    return get_object_or_404(rows.select_related("gallery__organization", *RELATED, "run__experiment"), slug=slug)


def entry_or_404(*, organization: Organization, entry_id: int) -> GalleryEntry:
    rows = GalleryEntry.objects.filter(GalleryEntry.target_exists(), gallery__organization=organization)
    return get_object_or_404(rows.select_related("gallery", *RELATED), pk=entry_id)


def front_page_content(gallery: Gallery) -> str:
    """What visitors see of the gallery itself, in words."""
    cited = [name for name in ("publication", "doi") if getattr(gallery, name)]
    parts = [
        f"the name of the organization, {gallery.organization.name}",
        "the title",
        *(["the text"] if gallery.text else []),
        *([f"as authors {get_text_list(gallery.author_names, 'and')}"] if gallery.author_names else []),
        *(["what the citation says of its publication"] if cited else []),
    ]
    return get_text_list(parts, "and")


def version_of(gallery: Gallery, rows: Iterable[EntryRow]) -> str:
    """A hash of what becomes visible, so that nobody opens something else than the list that they confirmed."""
    parts = [gallery.title, gallery.slug, gallery.text, gallery.authors, gallery.publication, gallery.doi]
    parts += [part for row in rows for part in (row.title, row.content, row.entry.slug, row.entry.caption)]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]


def choices_of(organization: Organization) -> list[tuple[str, list[tuple[str, str]]]]:
    """Boards and experiments that can become entries, as (heading, [('leaderboard:3', title)]). Two queries."""
    boards = Leaderboard.objects.filter(organization=organization).values_list("pk", "name")
    experiments = Experiment.objects.filter(organization=organization).order_by("-pk").values_list("pk", "name")
    groups = {("leaderboard", "Saved boards"): boards, ("experiment", "Experiments"): experiments}
    return [
        (heading, [(f"{kind}:{pk}", name) for pk, name in rows[:MOST_CHOICES]])
        for (kind, heading), rows in groups.items()
    ]
