"""The runs of an experiment as small rows: one for each run, or one for each group of runs in the table of scores."""

from typing import NamedTuple

import numpy as np
from django.db.models import Count, Min, Q
from numpy.typing import NDArray

from environments.generation import difficulty_title
from environments.registry import ENVIRONMENTS, GENERATION
from infrastructure.fields import Floats, Integers, UnixTime
from runs.models import Experiment, Run, RunState
from runs.selectors.progress import SUMMED, SUMS, Progress

COLUMNS = (
    *("id", "agent_id", "agent__name", "variant", "instance__environment", "instance__difficulty", "instance__seed"),
    *("state", "score", "periods", "periods_played", "last_quality", "pause_cause"),
)
TIMES = ("started_at", "progressed_at", "wake_at", "created_at", "lease_until")
"""Columns of times. The fields of RunCell are COLUMNS, then TIMES, in this order."""

SCORED = Q(state=RunState.FINISHED, score__isnull=False)


class RunCell(NamedTuple):
    """The columns of a run that tables of runs need. Times are seconds since 1970."""

    id: int
    agent_id: int
    agent: str
    variant: str
    environment: str
    difficulty: str
    seed: int
    state: str
    score: float | None
    periods: int
    periods_played: int
    last_quality: float | None
    pause_cause: str
    started_at: float | None
    progressed_at: float | None
    wake_at: float | None
    created_at: float
    lease_until: float | None

    @property
    def progress(self) -> float:
        return 1.0 if self.state == RunState.FINISHED else self.periods_played / self.periods


class RunGroup(NamedTuple):
    """The runs of one agent under one prompt in one environment and difficulty, in one state.

    scores, instances: scores of the finished runs that have one, and the ids of their instances
    judged: number of these runs for which it is known whether they solved the instance
    solved: number of these runs that solved it
    first: id of the first run
    """

    agent_id: int
    agent: str
    variant: str
    environment: str
    difficulty: str
    state: str
    pause_cause: str
    runs: int
    done: float
    periods_played: int
    cost_nano: int
    thinking_nano: int
    unpriced: int
    not_played: int
    judged: int
    solved: int
    scores: NDArray[np.float64]
    instances: NDArray[np.int64]
    first: int


def run_cells(experiment: Experiment, *only: Q) -> list[RunCell]:
    """The runs of an experiment, without reasons and compressed fields. One query.

    only: further conditions on the runs
    """
    rows = Run.objects.filter(*only, experiment=experiment).order_by("agent__name", "id")
    return list(map(RunCell._make, rows.values_list(*COLUMNS, *map(UnixTime, TIMES))))


def run_groups(experiment: Experiment) -> list[RunGroup]:
    """The groups of an experiment, sorted by name of the agent, then by the first run. One query."""
    rows = (
        Run.objects.filter(experiment=experiment)
        .values_list(*COLUMNS[1:6], "state", "pause_cause")
        .annotate(
            **SUMS,
            judged=Count("id", filter=SCORED & Q(solved__isnull=False)),
            solved=Count("id", filter=SCORED & Q(solved=True)),
            scores=Floats("score", filter=SCORED),
            instances=Integers("instance_id", filter=SCORED),
            first=Min("id"),
        )
        .order_by("agent__name", "first")
    )
    return list(map(RunGroup._make, rows))


def progress_of_groups(groups: list[RunGroup]) -> Progress:
    progress = Progress()
    for group in groups:
        progress.add(group.state, group.runs, *(getattr(group, name) for name in SUMMED))
    return progress


def environment_title(name: str) -> str:
    return ENVIRONMENTS[name].title if name in ENVIRONMENTS else name.replace("_", " ").capitalize()


def environment_name(name: str) -> str:
    """The short title of an environment, for tables, lists and filters: 'Collusion'."""
    return (name in ENVIRONMENTS and ENVIRONMENTS[name].short_title) or environment_title(name)


def game_name(environment: str, difficulty: str) -> str:
    """The short name of a game: 'Pricing HARD'. The only difficulty of an environment says nothing, so it is left out."""
    is_only = environment in GENERATION and list(GENERATION[environment].difficulties) == [difficulty]
    return (
        environment_name(environment) if is_only else f"{environment_name(environment)} {difficulty_title(difficulty)}"
    )


def game_title(environment: str, difficulty: str) -> str:
    """The full name of a game: 'Pricing HARD'."""
    return f"{environment_title(environment)} {difficulty_title(difficulty)}"


def environments_with(word: str) -> list[str]:
    """The environments with the word in their name or in one of their titles."""
    return [
        name
        for name in ENVIRONMENTS
        if any(word.lower() in text.lower() for text in (name, environment_name(name), environment_title(name)))
    ]


def environment_order(name: str) -> int:
    return [*ENVIRONMENTS, name].index(name)


DIFFICULTIES = ("BASIC", "MEDIUM", "HARD", "STANDARD", "CUSTOM")


def difficulty_order(name: str) -> int:
    return [*DIFFICULTIES, name].index(name)
