"""An experiment for visitors: progress, matrix and scores. Runs are numbered from 1 in launch order."""

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404

from environments.registry import score_meanings
from pages.dashboard.selectors.matrix import Block, matrix
from pages.dashboard.selectors.scores import ScoreTable, score_table
from runs.models import Experiment, Run
from runs.selectors.cells import progress_of_groups, run_cells, run_groups
from runs.selectors.experiments import environments_of
from runs.stages.page import staged_panel
from sharing.shown import build_shared


@dataclass(frozen=True)
class SharedStage:
    stage: int
    instances: int
    difference: str
    p: str
    boundary: str
    level: str
    waits: str
    looked_at: datetime | None


@dataclass(frozen=True)
class SharedComparison:
    """The comparison of an experiment in stages; first, second: the agents' names"""

    first: str
    second: str
    planned: float | None
    sentence: str
    rows: list[SharedStage]


@dataclass(frozen=True)
class SharedExperiment:
    """`by_state` is (state, label, runs) for the legend; `prefix` is what a run's number follows in its address."""

    name: str
    environments: str
    meanings: dict[str, str]
    state: str
    word: str
    outcome: str
    played_periods: int
    percent: int
    percent_words: str
    launched_at: datetime
    by_state: list[tuple[str, str, int]]
    blocks: list[Block]
    scores: ScoreTable
    prefix: str
    staged: SharedComparison | None


def shared_experiment(experiment: Experiment, base: str) -> SharedExperiment:
    groups = run_groups(experiment)
    cells = run_cells(experiment)
    numbers = {run_id: number for number, run_id in enumerate(sorted(cell.id for cell in cells), start=1)}
    cells = [cell._replace(id=numbers[cell.id]) for cell in cells]
    progress = progress_of_groups(groups)
    return build_shared(
        SharedExperiment,
        progress,
        name=experiment.name,
        played_periods=progress.periods_played,
        environments=environments_of(experiment),
        meanings=score_meanings(experiment.spec.get("environments", ())),
        launched_at=experiment.created_at,
        blocks=matrix(cells),
        scores=score_table(groups),
        prefix=f"{base}runs/",
        staged=_shared_comparison(experiment),
    )


def _shared_comparison(experiment: Experiment) -> SharedComparison | None:
    panel = staged_panel(experiment, for_visitors=True)
    if panel is None:
        return None
    return build_shared(SharedComparison, panel, rows=[build_shared(SharedStage, row) for row in panel.rows])


def run_numbered(experiment: Experiment, number: int) -> Run:
    """The run of a number, with its instance and agents."""
    rows = Run.objects.filter(experiment=experiment).select_related("instance", "agent", "rival", "experiment")
    numbered_runs = rows.order_by("id")[number - 1 : number] if 1 <= number <= 10**6 else ()
    for run in numbered_runs:
        return run
    raise Http404
