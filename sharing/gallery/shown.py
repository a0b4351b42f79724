"""What visitors see of a gallery itself. The pages of its entries are those of share links."""

from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString

from infrastructure.text.formats import counted
from infrastructure.text.rendering import render_note
from sharing.gallery.citation import Citation, cite
from sharing.gallery.models import Gallery
from sharing.gallery.selectors import entry_in, entry_rows
from sharing.shown import build_shared
from sharing.shown.cards import Card, CardRow
from sharing.views.visits import Frame, Visit, preview_of


@dataclass(frozen=True)
class SharedEntry:
    title: str
    label: str
    caption: str
    with_notes: bool
    address: str


@dataclass(frozen=True)
class SharedGallery:
    """authors: names in one text"""

    title: str
    organization: str
    text: SafeString
    authors: str
    entries: list[SharedEntry]
    citation: Citation
    as_of: datetime

    @property
    def card(self) -> Card:
        facts = (self.authors, counted(len(self.entries), "result,results"))
        rows = tuple(CardRow(entry.title) for entry in self.entries[:7])
        return Card(self.title, tuple(filter(None, facts)), rows, more=len(self.entries) - len(rows))


@dataclass(frozen=True)
class Exhibit:
    """A gallery at an address: that for the public, or that of the preview for owners. site: see Visit"""

    gallery: Gallery
    base: str
    site: str

    def shared(self) -> SharedGallery:
        gallery, now = self.gallery, timezone.now()
        entries = [
            build_shared(SharedEntry, row, row.entry, address=f"{self.base}{row.entry.slug}/")
            for row in entry_rows(gallery)
        ]
        address = self.site + reverse("gallery:gallery", args=[gallery.slug])
        return SharedGallery(
            gallery.title,
            gallery.organization.name,
            render_note(gallery.text),
            ", ".join(gallery.author_names),
            entries,
            cite(gallery, address, now.date()),
            now,
        )

    def frame(self, content: SharedGallery) -> Frame:
        return Frame(
            self.gallery.organization.name,
            self.gallery.title,
            self.base,
            preview=preview_of(content.card, self.site, self.base),
        )

    def visit(self, slug: str) -> Visit:
        """A visit of an entry. Raises Http404."""
        entry = entry_in(self.gallery, slug)
        above = ((self.gallery.title, self.base),)
        return Visit(entry, f"{self.base}{slug}/", self.site, True, above, entry.caption)
