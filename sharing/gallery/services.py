"""Services that write galleries. They take keyword arguments only, and their names have the form entity_verb.

Each raises PermissionDenied unless the actor is an owner now.
"""

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify

from accounts.guards import NO_OWNER
from accounts.models import Action, Membership
from accounts.services.audit import audit_record
from sharing.gallery.models import Gallery, GalleryEntry
from sharing.gallery.selectors import entry_rows, gallery_of, version_of
from sharing.kinds import KINDS, name_of, title_of
from sharing.models import Target

MOST_ENTRIES = 30
CHANGED_MEANWHILE = "The gallery was changed meanwhile. Read the list again before you open it."
TAKEN = "Another gallery of this site has this address. Choose another."


@transaction.atomic
def gallery_save(*, actor: Membership, **values: str) -> Gallery:
    """Store title, slug, text, authors, publication and doi. Raises ValidationError for a slug that is taken."""
    _owner(actor)
    gallery = gallery_of(actor.organization)
    for name, value in values.items():
        setattr(gallery, name, value)
    try:
        with transaction.atomic():
            gallery.save()
    except IntegrityError:
        raise ValidationError({"slug": TAKEN}) from None
    _record(actor, Action.GALLERY_CHANGED, f"Title and text, at {gallery.slug}")
    return gallery


@transaction.atomic
def entry_add(*, actor: Membership, target: Target, caption: str = "", with_notes: bool = False) -> GalleryEntry:
    """Add a thing at the end. Raises ValidationError if it is in the gallery already, or if the gallery is full."""
    _owner(actor)
    gallery = _stored(actor)
    entries = list(GalleryEntry.objects.filter(gallery=gallery))
    kind = KINDS[name_of(target)]
    if len(entries) >= MOST_ENTRIES:
        raise ValidationError(f"A gallery has at most {MOST_ENTRIES} entries. Remove one first.")
    if any((entry.target_kind, entry.target_id) == (name_of(target), target.pk) for entry in entries):
        raise ValidationError("This is in the gallery already.")
    entry = GalleryEntry.objects.create(
        gallery=gallery,
        slug=_free_slug(kind.title(target), {entry.slug for entry in entries}),
        caption=caption,
        with_notes=with_notes and kind.has_notes,
        position=max((entry.position for entry in entries), default=0) + 1,
        **{name_of(target): target},
    )
    _record(actor, Action.GALLERY_CHANGED, f"Added {_described(entry)}")
    return entry


@transaction.atomic
def entry_change(*, actor: Membership, entry: GalleryEntry, caption: str, with_notes: bool = False) -> None:
    _owner(actor)
    entry.caption = caption
    entry.with_notes = with_notes and KINDS[entry.target_kind].has_notes
    entry.save(update_fields=["caption", "with_notes"])
    _record(actor, Action.GALLERY_CHANGED, f"Changed {_described(entry)}")


@transaction.atomic
def entry_move(*, actor: Membership, entry: GalleryEntry, step: int) -> None:
    """Move an entry by one. step: -1 for up, 1 for down"""
    _owner(actor)
    entries = [row.entry for row in entry_rows(entry.gallery)]
    index = next(index for index, other in enumerate(entries) if other.pk == entry.pk)
    if not 0 <= index + step < len(entries):
        return
    entries[index], entries[index + step] = entries[index + step], entries[index]
    for position, moved in enumerate(entries, start=1):
        moved.position = position
    GalleryEntry.objects.bulk_update(entries, ["position"])


@transaction.atomic
def entry_remove(*, actor: Membership, entry: GalleryEntry) -> None:
    _owner(actor)
    _record(actor, Action.GALLERY_CHANGED, f"Removed {_described(entry)}")
    entry.delete()


@transaction.atomic
def gallery_open(*, actor: Membership, version: str) -> None:
    """Open the gallery to everybody. Raises ValidationError unless it is as in the list with the hash `version`."""
    _owner(actor)
    gallery = gallery_of(actor.organization)
    rows = entry_rows(gallery)
    if not rows:
        raise ValidationError("The gallery has no entry. Add a board, an experiment or a run first.")
    if version != version_of(gallery, rows):
        raise ValidationError(CHANGED_MEANWHILE)
    if Gallery.objects.filter(pk=gallery.pk, opened_at=None).update(opened_at=timezone.now()):
        _record(actor, Action.GALLERY_OPENED, ", ".join(_described(row.entry) for row in rows))


@transaction.atomic
def gallery_close(*, actor: Membership) -> None:
    """Close the gallery. The next request for one of its pages and pictures is refused."""
    _owner(actor)
    opened = Gallery.objects.filter(organization=actor.organization, opened_at__isnull=False)
    if opened.update(opened_at=None):
        _record(actor, Action.GALLERY_CLOSED, actor.organization.name)


def _owner(actor: Membership) -> None:
    """Read the membership again, because the role may have changed since the request began."""
    now = Membership.objects.filter(pk=actor.pk).first()
    if now is None or not now.may_manage:
        raise PermissionDenied(NO_OWNER)


def _stored(actor: Membership) -> Gallery:
    """The organization's gallery, stored if it is not yet, and locked until the transaction ends."""
    gallery = gallery_of(actor.organization)
    if gallery.pk is None:
        gallery.slug = _free_slug(gallery.slug, set(Gallery.objects.values_list("slug", flat=True)))
        gallery.save()
    return Gallery.objects.select_for_update(no_key=True).get(pk=gallery.pk)


def _free_slug(title: str, taken: set[str]) -> str:
    slug = slugify(title)[:40].strip("-") or "entry"
    numbered = (f"{slug}-{number}" if number > 1 else slug for number in range(1, len(taken) + 2))
    return next(name for name in numbered if name not in taken)


def _described(entry: GalleryEntry) -> str:
    return f"{entry.kind.label} {title_of(entry)}{' with notes' if entry.with_notes else ''}"


def _record(actor: Membership, action: Action, subject: str) -> None:
    audit_record(organization=actor.organization, actor=actor.user, action=action, subject=subject)
