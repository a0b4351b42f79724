"""The selection of runs for a file."""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta

from django.db.models import Count, Q, QuerySet, Sum

from accounts.models import Organization
from runs.models import Agent, Run

OWN, IMPORTED = "own", "imported"


@dataclass(frozen=True)
class Selection:
    """Filters on the runs of one organization. Empty values do not filter.

    ticked: ids of runs
    since, until: first and last day (UTC) of the launch
    origin: 'own' for runs played here, 'imported' for imported runs
    """

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
    ticked: tuple[int, ...] = ()

    def runs(self) -> QuerySet[Run]:
        conditions = {
            "experiment": self.experiment,
            "pk": self.run,
            "pk__in": self.ticked,
            "instance__environment": self.environment,
            "instance__difficulty": self.difficulty,
            "state": self.state,
            "created_at__gte": self.since and datetime.combine(self.since, time.min, UTC),
            "created_at__lt": self.until and datetime.combine(self.until + timedelta(days=1), time.min, UTC),
        }
        plays = Q(agent__slug=self.agent) | Q(rival__slug=self.agent) if self.agent else Q()
        runs = Run.objects.filter(plays, organization=self.organization, **{k: v for k, v in conditions.items() if v})
        return runs.filter(imported=self.origin == IMPORTED) if self.origin else runs

    @property
    def is_everything(self) -> bool:
        return self == Selection(self.organization)

    @property
    def file_stem(self) -> str:
        """The name of the file without its extension."""
        if self.run:
            return f"run-{self.run}"
        return f"experiment-{self.experiment}" if self.experiment else "runs"


def extent(selection: Selection) -> dict[str, int]:
    """The number of runs, periods and experiments in a selection."""
    return selection.runs().aggregate(
        runs=Count("id"), periods=Sum("periods_played", default=0), experiments=Count("experiment", distinct=True)
    )


def agents_with_runs(*, organization: Organization) -> list[tuple[str, str]]:
    """(slug, name) of every agent that has a run, in either seat of a market."""
    runs = Run.objects.filter(organization=organization)
    agent_ids = runs.values("agent").union(runs.exclude(rival=None).values("rival"))
    agents = Agent.objects.filter(organization=organization, pk__in=agent_ids).order_by("name", "slug")
    return list(agents.values_list("slug", "name"))
