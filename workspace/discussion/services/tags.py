import unicodedata

from django.core.exceptions import ValidationError
from django.db import IntegrityError

from accounts.models import Action, User
from accounts.services.audit import audit_record
from infrastructure.transactions import write_transaction
from workspace.discussion.models import COLOURS, Tag, Tagging
from workspace.discussion.services import invalid_if
from workspace.discussion.subjects import Subject

MAX_NAME = 40
MOST_TAGS = 20
TAKEN = "There is a tag of this name already. To make one of the two, merge them."


def tag_add(*, subject: Subject, name: str, user: User) -> Tag:
    """Tag a subject, and create the tag if its name is new. Raises ValidationError for the field name.

    Repeated and concurrent calls create only one tag.
    """
    name = _clean_name(name)
    try:
        return _tag_subject(subject, name, user)
    except IntegrityError:
        # The tag was deleted between finding and using it, so try again. If the subject was deleted, this fails again.
        return _tag_subject(subject, name, user)


def _tag_subject(subject: Subject, name: str, user: User) -> Tag:
    organization = subject.target.organization
    with write_transaction():
        tag = organization.tags.filter(key=key_of(name)).first()
        if tag is None:
            colour = organization.tags.count() % len(COLOURS) + 1
            new = Tag(organization=organization, name=name, key=key_of(name), colour=colour)
            Tag.objects.bulk_create([new], ignore_conflicts=True)
            tag = organization.tags.get(key=key_of(name))
        others = Tagging.objects.filter(**subject.fields).exclude(tag=tag)
        invalid_if(others.count() >= MOST_TAGS, "name", f"One thing has at most {MOST_TAGS} tags.")
        # The unique index prevents duplicates. A check beforehand could race with another request.
        Tagging.objects.bulk_create([Tagging(tag=tag, created_by=user, **subject.fields)], ignore_conflicts=True)
    return tag


def tag_remove(*, subject: Subject, tag: Tag) -> None:
    """Remove a tag from a subject. The tag itself stays."""
    with write_transaction():
        Tagging.objects.filter(tag=tag, **subject.fields).delete()


def tag_update(*, tag: Tag, name: str, colour: int, user: User) -> Tag:
    """Rename or recolour a tag, and return it. Raises ValidationError for the fields name and colour."""
    name, old = _clean_name(name), tag.name
    invalid_if(colour not in range(1, len(COLOURS) + 1), "colour", "Choose one of the colours.")
    try:
        with write_transaction():
            if Tag.objects.filter(pk=tag.pk).update(name=name, key=key_of(name), colour=colour) and name != old:
                _record(tag, user, Action.TAG_RENAMED, f"{old} → {name}")
    except IntegrityError:
        raise ValidationError({"name": TAKEN}) from None
    tag.name, tag.colour = name, colour
    return tag


def tag_merge(*, tag: Tag, into: Tag, user: User) -> None:
    """Move all taggings of `tag` to `into` and delete `tag`. Raises ValidationError for the field into."""
    invalid_if(tag.pk == into.pk or tag.organization_id != into.organization_id, "into", "Choose another tag.")
    with write_transaction():
        # The rows are locked by id, so that two people who merge in opposite directions cannot deadlock. One tag is deleted,
        # so requests that add it to a subject meanwhile must wait.
        locked = Tag.objects.select_for_update(no_key=False).filter(pk__in=[tag.pk, into.pk]).order_by("pk")
        invalid_if(len(locked) < 2, "into", "One of the two tags was deleted meanwhile.")
        rows = list(Tagging.objects.filter(tag=tag))
        for row in rows:
            row.pk, row.tag = None, into
        Tagging.objects.bulk_create(rows, ignore_conflicts=True, batch_size=500)
        tag.delete()
        _record(tag, user, Action.TAG_MERGED, f"{tag.name} → {into.name}")


def tag_delete(*, tag: Tag, user: User) -> None:
    """Delete a tag with its taggings."""
    with write_transaction():
        if Tag.objects.filter(pk=tag.pk).delete()[0]:
            _record(tag, user, Action.TAG_DELETED, tag.name)


def key_of(name: str) -> str:
    """The case-folded name. Two names that differ only in case have the same key."""
    return unicodedata.normalize("NFC", name).casefold()


def _clean_name(name: str) -> str:
    name = " ".join(unicodedata.normalize("NFC", name).split())
    invalid_if(not name, "name", "Type the name of a tag.")
    invalid_if(len(name) > MAX_NAME or not name.isprintable(), "name", f"A tag has at most {MAX_NAME} characters.")
    return name


def _record(tag: Tag, user: User, action: Action, subject: str) -> None:
    audit_record(organization=tag.organization, actor=user, action=action, subject=subject)
