"""What a load test left in the database: run by benchmarks/load.py in the site's environment, prints JSON."""

import json
import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")

import django  # noqa: E402

django.setup()

from django.db.models import Count, Sum, Value  # noqa: E402
from django.db.models.functions import Coalesce, Length  # noqa: E402

from environments.base import PERIODS  # noqa: E402
from infrastructure.fields import CompressedJSONField  # noqa: E402
from runs.models import Exchange, Run  # noqa: E402


def states() -> dict[str, int]:
    """Number of runs in each state, with the reason where there is one."""
    rows = Run.objects.values_list("state", "reason").annotate(number=Count("id"))
    return {f"{state}: {reason}" if reason else state: number for state, reason, number in rows}


def transcript_bytes() -> list[float]:
    """Stored bytes of the exchanges' compressed columns by period, in the mean of the whole runs."""
    whole = Run.objects.filter(periods=PERIODS)
    columns = [field.name for field in Exchange._meta.fields if isinstance(field, CompressedJSONField)]
    size = sum((Coalesce(Sum(Length(name)), 0) for name in columns), Value(0))
    rows = Exchange.objects.filter(run__in=whole).order_by("period_index").values("period_index").annotate(size=size)
    return [row["size"] / whole.count() for row in rows]


if __name__ == "__main__":
    print(json.dumps({"states": states(), "transcript_bytes": transcript_bytes()}))
