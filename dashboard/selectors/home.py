from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef

from accounts.models import Organization
from dashboard.selectors.experiments import ExperimentRow, with_progress
from runs.models import Experiment, Run, RunState
from runs.models.runs import ACTIVE
from spending.selectors.months import Spent, month_spent

RUNNING_SHOWN = 8
LATEST_SHOWN = 8


@dataclass(frozen=True)
class Home:
    """running: experiments with active runs; latest: other experiments, newest first; counts: runs by state"""

    running: list[ExperimentRow]
    latest: list[ExperimentRow]
    counts: dict[str, int]
    spent: Spent

    @property
    def is_empty(self) -> bool:
        return not self.running and not self.latest

    @property
    def pending(self) -> int:
        return self.counts[RunState.QUEUED] + self.counts[RunState.WAITING]

    @property
    def stuck(self) -> int:
        return self.counts[RunState.PAUSED] + self.counts[RunState.STALLED] + self.counts[RunState.ERRORED]


def home(*, organization: Organization) -> Home:
    experiments = Experiment.objects.filter(organization=organization).select_related("created_by")
    active = Exists(Run.objects.filter(experiment=OuterRef("pk"), state__in=ACTIVE))
    running = list(experiments.filter(active)[:RUNNING_SHOWN])
    latest = list(experiments.exclude(active)[:LATEST_SHOWN])
    rows = with_progress([*running, *latest])
    counts = dict.fromkeys(RunState.values, 0)
    counts |= dict(
        Run.objects.filter(organization=organization).values_list("state").annotate(runs=Count("id")).order_by()
    )
    return Home(rows[: len(running)], rows[len(running) :], counts, month_spent(organization=organization))
