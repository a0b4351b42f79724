"""The data of the home page."""

from collections import Counter, defaultdict
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef

from accounts.models import Organization
from pages.dashboard.selectors.experiments import with_progress
from runs.models import Experiment, Run
from runs.models.runs import ACTIVE, RETRYABLE
from runs.models.states import SHOWN, STATES_OF, RunState
from runs.selectors.wait_reasons import Reason
from workspace.drift.selectors import notices_open
from workspace.spending.selectors.months import month_spent

EXPERIMENTS_SHOWN = 5
NEEDS_ATTENTION = (RunState.PAUSED, *RETRYABLE)
WAITS = 2


def home(*, organization: Organization) -> dict[str, Any]:
    """The context of the home page.

    running: (row, reasons for waiting) of experiments with active runs; latest: other experiments, newest first
    counts: runs by group of states, and those that need a person; spent: this month
    notices: unseen notices of watches, newest first
    """
    experiments = Experiment.objects.without_games().filter(organization=organization).select_related("created_by")
    active = Exists(Run.objects.filter(experiment=OuterRef("pk"), state__in=ACTIVE))
    running = list(experiments.filter(active)[:EXPERIMENTS_SHOWN])
    rows = with_progress([*running, *experiments.exclude(active)[:EXPERIMENTS_SHOWN]])
    states = Run.objects.without_games().filter(organization=organization).order_by().values_list("state")
    by_state = Counter(dict(states.annotate(runs=Count("id"))))
    counts = {group: sum(by_state[state] for state in states) for group, states in STATES_OF.items()}
    waits = _waits(running) if by_state[RunState.WAITING] else {}
    return {
        "running": [(row, waits.get(row.experiment.pk, [])) for row in rows[: len(running)]],
        "latest": rows[len(running) :],
        "counts": counts | {"attention": sum(by_state[state] for state in NEEDS_ATTENTION)},
        "attention": [(state, SHOWN[state].short, by_state[state]) for state in NEEDS_ATTENTION if by_state[state]],
        "spent": month_spent(organization=organization),
        "notices": notices_open(organization=organization)[:EXPERIMENTS_SHOWN],
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
