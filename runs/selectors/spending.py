from __future__ import annotations

from datetime import datetime

from django.db.models import Sum
from django.utils import timezone

from accounts.models import Organization
from runs.models import Period, Run


def spent_this_month(*, organization: Organization, now: datetime | None = None) -> int:
    """Billionths of a dollar since the first of the month, UTC.

    Runs begun this month count whole; of the few begun before, only the periods played since.
    """
    month = (now or timezone.now()).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    runs = Run.objects.filter(organization=organization)
    begun = runs.filter(started_at__gte=month).aggregate(total=Sum("cost_nano"))["total"] or 0
    older = Period.objects.filter(
        run__organization=organization, run__started_at__lt=month, run__progressed_at__gte=month, created_at__gte=month
    )
    return begun + (older.aggregate(total=Sum("cost_nano"))["total"] or 0)
