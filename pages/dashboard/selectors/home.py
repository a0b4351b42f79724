"""The data of the home page."""

from collections import Counter, defaultdict
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef

from accounts.models import Organization
from pages.dashboard.selectors.experiments import with_progress
from pages.dashboard.selectors.runs.list import STATE_GROUPS
from runs.models import Experiment, Run
from runs.models.runs import ACTIVE, RunState
from runs.selectors.wait_reasons import Reason
from workspace.drift.selectors import notices_open
from workspace.spending.selectors.months import month_spent

SHOWN = 5
WAITS = 2


def home(*, organization: Organization) -> dict[str, Any]:
    """The context of the home page.

    running: (row, reasons for waiting) of experiments with active runs; latest: other experiments, newest first
    counts: runs by state and group; spent: this month; notices: unseen notices of watches, newest first
    """
    experiments = Experiment.objects.filter(organization=organization).select_related("created_by")
    active = Exists(Run.objects.filter(experiment=OuterRef("pk"), state__in=ACTIVE))
    running = list(experiments.filter(active)[:SHOWN])
    rows = with_progress([*running, *experiments.exclude(active)[:SHOWN]])
    states = Run.objects.filter(organization=organization).order_by().values_list("state")
    counts = Counter(dict(states.annotate(runs=Count("id"))))
    counts.update({group: sum(counts[state] for state in states) for group, (_, states) in STATE_GROUPS.items()})
    waits = _waits(running) if counts[RunState.WAITING] else {}
    return {
        "running": [(row, waits.get(row.experiment.pk, [])) for row in rows[: len(running)]],
        "latest": rows[len(running) :],
        "counts": counts,
        "attention": [(state, counts[state]) for state in STATE_GROUPS["attention"][1] if counts[state]],
        "spent": month_spent(organization=organization),
        "notices": notices_open(organization=organization)[:SHOWN],
    }


def _waits(experiments: list[Experiment]) -> dict[int, list[Reason]]:
    """The most frequent reasons why runs wait, by the id of their experiment. One query."""
    rows = (
        Run.objects.filter(experiment__in=experiments, state=RunState.WAITING)
        .values_list("experiment", "pause_cause", "reason")
        .annotate(runs=Count("id"), example=Max("id"), wake=Min("wake_at"))
        .order_by("-runs")
    )
    reasons_by_experiment: dict[int, list[Reason]] = defaultdict(list)
    for experiment, cause, text, *rest in rows:
        if len(reasons_by_experiment[experiment]) < WAITS:
            reasons_by_experiment[experiment].append(
                Reason(RunState.WAITING, cause, text or "No reason was stored.", *rest)
            )
    return reasons_by_experiment


def newest_finished_run(*, organization: Organization) -> int | None:
    """The id of the newest finished run; None if there is none."""
    return (
        Run.objects.filter(organization=organization, state=RunState.FINISHED)
        .order_by("-id")
        .values_list("id", flat=True)
        .first()
    )
