from django.utils import timezone

from accounts.models import Organization, User
from infrastructure.transactions import write_transaction
from workspace.discussion.models import Mention, Star
from workspace.discussion.subjects import Subject


def star_set(*, subject: Subject, user: User, starred: bool) -> None:
    """Star a run or a period, or remove the star. Repeated and concurrent calls leave one star."""
    with write_transaction():
        if starred:
            Star.objects.bulk_create([Star(user=user, **subject.fields)], ignore_conflicts=True)
        else:
            Star.objects.filter(user=user, **subject.fields).delete()


def mention_read(*, mention: Mention) -> None:
    """Mark a mention as read; the first time counts."""
    if mention.read_at is None:
        with write_transaction():
            Mention.objects.filter(pk=mention.pk, read_at=None).update(read_at=timezone.now())


def mentions_read(*, organization: Organization, user: User) -> int:
    """Mark all mentions of a person in an organization as read; return how many were unread."""
    with write_transaction():
        unread = Mention.objects.filter(organization=organization, user=user, read_at=None)
        return unread.update(read_at=timezone.now())
