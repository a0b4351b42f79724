"""The selection of runs for a file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Count, Q, QuerySet, Sum

from accounts.models import Organization
from runs.models import Run

OWN, IMPORTED = "own", "imported"


@dataclass(frozen=True)
class Selection:
    """Filters on the runs of one organization; empty ones do not filter. `since` and `until`: days (UTC) of the launch, both
    included; `origin`: 'own' for runs played here, 'imported' for imported runs"""

    organization: Organization
    experiment: int = 0
    run: int = 0
    agent: str = ""
    environment: str = ""
    difficulty: str = ""
    state: str = ""
    since: date | None = None
    until: date | None = None
    origin: str = ""

    def runs(self) -> QuerySet[Run]:
        wanted = Q(organization=self.organization)
        if self.experiment:
            wanted &= Q(experiment=self.experiment)
        if self.run:
            wanted &= Q(pk=self.run)
        if self.agent:
            wanted &= Q(agent__slug=self.agent) | Q(rival__slug=self.agent)
        if self.environment:
            wanted &= Q(instance__environment=self.environment)
        if self.difficulty:
            wanted &= Q(instance__difficulty=self.difficulty)
        if self.state:
            wanted &= Q(state=self.state)
        if self.origin:
            wanted &= Q(imported=self.origin == IMPORTED)
        if self.since:
            wanted &= Q(created_at__gte=datetime.combine(self.since, time.min, UTC))
        if self.until:
            wanted &= Q(created_at__lt=datetime.combine(self.until + timedelta(days=1), time.min, UTC))
        return Run.objects.filter(wanted)

    @property
    def is_everything(self) -> bool:
        return self == Selection(self.organization)

    @property
    def place(self) -> str:
        """The stem of the file's name."""
        if self.run:
            return f"run-{self.run}"
        return f"experiment-{self.experiment}" if self.experiment else "runs"


@dataclass(frozen=True)
class Extent:
    """The size of a selection."""

    runs: int
    periods: int
    experiments: int


def extent(selection: Selection) -> Extent:
    found = selection.runs().aggregate(
        runs=Count("id"), periods=Sum("periods_played", default=0), experiments=Count("experiment", distinct=True)
    )
    return Extent(**found)
