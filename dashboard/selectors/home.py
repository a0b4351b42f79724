from collections import Counter
from typing import Any

from django.db.models import Count, Exists, OuterRef

from accounts.models import Organization
from dashboard.selectors.experiments import with_progress
from dashboard.selectors.runs.list import STATE_GROUPS
from runs.models import Experiment, Run
from runs.models.runs import ACTIVE, RunState
from spending.selectors.months import month_spent

SHOWN = 8


def home(*, organization: Organization) -> dict[str, Any]:
    """running: experiments with active runs; latest: other experiments, newest first; counts: runs by state and group"""
    experiments = Experiment.objects.filter(organization=organization).select_related("created_by")
    active = Exists(Run.objects.filter(experiment=OuterRef("pk"), state__in=ACTIVE))
    running = list(experiments.filter(active)[:SHOWN])
    rows = with_progress([*running, *experiments.exclude(active)[:SHOWN]])
    runs = Run.objects.filter(organization=organization).order_by()
    counts = Counter(dict(runs.values_list("state").annotate(runs=Count("id"))))
    counts.update({group: sum(counts[state] for state in states) for group, (_, states) in STATE_GROUPS.items()})
    spent = month_spent(organization=organization)
    return {"running": rows[: len(running)], "latest": rows[len(running) :], "counts": counts, "spent": spent}


def newest_finished_run(*, organization: Organization) -> int | None:
    """Its id."""
    finished = Run.objects.filter(organization=organization, state=RunState.FINISHED)
    return finished.order_by("-id").values_list("id", flat=True).first()
