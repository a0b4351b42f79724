"""All runs of an experiment as light rows, read in one query for the matrix and the scores."""

from collections import Counter, defaultdict
from typing import NamedTuple

from django.db.models import BooleanField, ExpressionWrapper

from environments.registry import ENVIRONMENTS
from infrastructure.fields import UnixTime
from runs.models import Experiment, Run, RunState
from runs.models.runs import is_not_played
from runs.selectors.progress import UNPRICED, Progress

COLUMNS = (
    *("id", "agent_id", "agent__name", "variant", "instance__environment", "instance__difficulty", "instance__seed"),
    *("state", "score", "solved", "periods", "periods_played", "last_quality", "cost_nano"),
    *("pause_cause", "queries"),
)
TIMES = ("started_at", "progressed_at", "wake_at", "created_at", "lease_until")
"""COLUMNS, then TIMES, in the order of the fields of RunCell."""


class RunCell(NamedTuple):
    """Times are seconds since 1970."""

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
    pause_cause: str
    queries: int
    started_at: float | None
    progressed_at: float | None
    wake_at: float | None
    created_at: float
    lease_until: float | None
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


def run_cells(experiment: Experiment, environment: str = "") -> list[RunCell]:
    """The runs of an experiment, or those of one environment, in one query without reasons and compressed fields."""
    runs = Run.objects.filter(experiment=experiment)
    rows = (
        (runs.filter(instance__environment=environment) if environment else runs)
        .order_by("agent__name", "id")
        .values_list(*COLUMNS, *map(UnixTime, TIMES), ExpressionWrapper(UNPRICED, BooleanField()))
    )
    return list(map(RunCell._make, rows))


def pause_causes(cells: list[RunCell]) -> Counter[str]:
    """Number of paused runs by runs.models.PauseCause."""
    return Counter(cell.pause_cause for cell in cells if cell.state == RunState.PAUSED)


def progress_of_cells(cells: list[RunCell]) -> Progress:
    progress = Progress()
    by_state: dict[str, list[RunCell]] = defaultdict(list)
    for cell in cells:
        by_state[cell.state].append(cell)
    for state, own in by_state.items():
        progress.add(
            state,
            runs=len(own),
            done=sum(cell.progress for cell in own),
            played=sum(cell.played for cell in own),
            cost_nano=sum(cell.cost_nano for cell in own),
            unpriced=sum(cell.unpriced for cell in own),
            not_played=sum(cell.is_not_played for cell in own),
        )
    return progress


def environment_title(name: str) -> str:
    return ENVIRONMENTS[name].title if name in ENVIRONMENTS else name.replace("_", " ").capitalize()


def environment_order(name: str) -> int:
    return [*ENVIRONMENTS, name].index(name)


DIFFICULTIES = ("BASIC", "MEDIUM", "HARD", "STANDARD", "CUSTOM")


def difficulty_order(name: str) -> int:
    return [*DIFFICULTIES, name].index(name)
