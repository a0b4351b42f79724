"""What was told is kept for thirty days."""

from __future__ import annotations

from datetime import timedelta

from django.db.models.functions import Now

from infrastructure.transactions import write_transaction
from webhooks.models import Event

KEPT_DAYS = 30
ROWS_AT_ONCE = 500


def prune() -> int:
    """Delete events that are older, with their deliveries; how many. A few at a time, so that nobody waits long."""
    deleted = 0
    while True:
        old = Event.objects.filter(created_at__lt=Now() - timedelta(days=KEPT_DAYS))
        ids = list(old.values_list("id", flat=True)[:ROWS_AT_ONCE])
        if not ids:
            return deleted
        with write_transaction():
            Event.objects.filter(pk__in=ids).delete()
        deleted += len(ids)
