"""All runs of an experiment as light rows, read in one query for the matrix and the scores."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import BooleanField, ExpressionWrapper

from environments.registry import ENVIRONMENTS
from runs.models import Experiment, PauseCause, Run, RunState
from runs.models.runs import is_not_played
from runs.selectors.progress import UNPRICED, Progress

COLUMNS = (
    *("id", "agent_id", "agent__name", "variant", "instance__environment", "instance__difficulty", "instance__seed"),
    *("state", "score", "solved", "periods", "periods_played", "last_quality", "cost_nano"),
    *("started_at", "progressed_at", "wake_at", "pause_cause", "queries", "created_at", "lease_until"),
)
"""In the order of the fields of RunCell."""


@dataclass(frozen=True, slots=True)
class RunCell:
    id: int
    agent_id: int
    agent: str
    variant: str
    environment: str
    difficulty: str
    seed: int
    state: str
    score: float | None
    solved: bool | None
    periods: int
    played: int
    last_quality: float | None
    cost_nano: int
    started_at: datetime | None
    progressed_at: datetime | None
    wake_at: datetime | None
    pause_cause: str
    queries: int
    created_at: datetime
    lease_until: datetime | None
    unpriced: bool

    @property
    def is_scored(self) -> bool:
        return self.state == RunState.FINISHED and self.score is not None

    @property
    def is_not_played(self) -> bool:
        return is_not_played(self.state, self.pause_cause)

    @property
    def progress(self) -> float:
        return 1.0 if self.state == RunState.FINISHED else self.played / self.periods


def run_cells(experiment: Experiment) -> list[RunCell]:
    """The runs of an experiment in one query, without reasons and compressed fields."""
    rows = (
        Run.objects.filter(experiment=experiment)
        .order_by("agent__name", "id")
        .values_list(*COLUMNS, ExpressionWrapper(UNPRICED, BooleanField()))
    )
    return [RunCell(*row) for row in rows]


def paused_by_budget(cells: list[RunCell]) -> int:
    return sum(cell.state == RunState.PAUSED and cell.pause_cause == PauseCause.BUDGET for cell in cells)


def waiting_for_stage(cells: list[RunCell]) -> int:
    return sum(cell.state == RunState.PAUSED and cell.pause_cause == PauseCause.STAGE for cell in cells)


def progress_of_cells(cells: list[RunCell]) -> Progress:
    progress = Progress()
    for cell in cells:
        sums = (1, cell.progress, cell.played, cell.cost_nano, int(cell.unpriced), int(cell.is_not_played))
        progress.add(cell.state, *sums)
    return progress


def environment_title(name: str) -> str:
    return ENVIRONMENTS[name].title if name in ENVIRONMENTS else name.replace("_", " ").capitalize()


def environment_order(name: str) -> int:
    return [*ENVIRONMENTS, name].index(name)


DIFFICULTIES = ("BASIC", "MEDIUM", "HARD", "STANDARD", "CUSTOM")


def difficulty_order(name: str) -> int:
    return [*DIFFICULTIES, name].index(name)
