from __future__ import annotations

from django.utils import timezone

from accounts.models import Organization, User
from discussion.models import Mention
from infrastructure.transactions import write_transaction


def mention_read(*, mention: Mention) -> None:
    """Note that the person has opened it; the first time counts."""
    if mention.read_at is None:
        with write_transaction():
            Mention.objects.filter(pk=mention.pk, read_at=None).update(read_at=timezone.now())


def mentions_read(*, organization: Organization, user: User) -> int:
    """Note that the person knows of all their mentions in an organization; how many were new."""
    with write_transaction():
        unread = Mention.objects.filter(organization=organization, user=user, read_at=None)
        return unread.update(read_at=timezone.now())
