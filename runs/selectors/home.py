from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Exists, OuterRef

from accounts.models import Organization
from runs.models import Experiment, Run
from runs.models.runs import ACTIVE
from runs.selectors.experiments import ExperimentRow, with_progress
from runs.selectors.spending import spent_this_month

RUNNING_SHOWN = 8
LATEST_SHOWN = 8


@dataclass(frozen=True)
class Home:
    """running: experiments with a queued, running or waiting run; latest: those without, newest first"""

    running: list[ExperimentRow]
    latest: list[ExperimentRow]
    spent_nano: int

    @property
    def is_empty(self) -> bool:
        return not self.running and not self.latest

    @property
    def runs_now(self) -> int:
        return sum(row.progress.counts.get("running", 0) for row in self.running)


def home(*, organization: Organization) -> Home:
    experiments = Experiment.objects.filter(organization=organization).select_related("created_by")
    active = Exists(Run.objects.filter(experiment=OuterRef("pk"), state__in=ACTIVE))
    running = list(experiments.filter(active)[:RUNNING_SHOWN])
    latest = list(experiments.exclude(active)[:LATEST_SHOWN])
    rows = with_progress([*running, *latest])
    return Home(rows[: len(running)], rows[len(running) :], spent_this_month(organization=organization))
