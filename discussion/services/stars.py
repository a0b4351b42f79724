from __future__ import annotations

from accounts.models import User
from discussion.models import Star
from discussion.places import Place
from infrastructure.transactions import write_transaction


def star_set(*, place: Place, user: User, starred: bool) -> None:
    """Star a run or a period, or take the star away. Doing it twice, or twice at once, leaves one star."""
    with write_transaction():
        if starred:
            Star.objects.bulk_create([Star(user=user, **place.fields)], ignore_conflicts=True)
        else:
            Star.objects.filter(user=user, **place.fields).delete()
