"""Runs and experiments for visitors.

A run has its score and charts, and with notes what the agent wrote and did in each period. An experiment has progress,
matrix and scores; its runs are numbered from 1 in launch order.
Charts and outcomes show the optimum or equilibrium. The hidden parameters of the instance are on no shared page.
"""

from dataclasses import dataclass, field, replace
from datetime import datetime

from django.http import Http404

from accounts.models import Organization
from analysis.base.selectors import outcomes_of_run, styles_of_agents
from environments.registry import score_meanings
from games.presenter import KeyNumber, PageSection
from games.registry import has_figure, parts_of, run_figure
from infrastructure.figures.theme import PlotlyFigure
from pages.dashboard.selectors.experiment_tables import Block, matrix
from pages.dashboard.selectors.runs import page
from pages.dashboard.selectors.runs.calls import CallLine
from pages.dashboard.selectors.runs.periods import NOTES_A_PAGE, NoteView, note_ranges, notes_page, period_view
from pages.dashboard.selectors.score_tables import ScoreTable, score_table
from runs.findings.selectors import run_report
from runs.models import Experiment, Run, ShownState
from runs.selectors.cells import progress_of_groups, run_cells, run_groups
from runs.selectors.experiments import environments_of, run_title
from runs.stages.page import staged_panel
from sharing.shown import build_shared


@dataclass(frozen=True)
class SharedFinding:
    title: str
    sentence: str
    period: int | None
    is_problem: bool


@dataclass(frozen=True)
class SharedRun:
    """A run.

    figures: score and other key figures
    charts: (title, address of the data)
    base: address of the run's page
    """

    title: str
    agent: str
    state: str
    label: str
    facts: list[str]
    figures: list[KeyNumber]
    meanings: dict[str, str]
    charts: list[tuple[str, str]]
    findings: list[SharedFinding]
    periods: int
    periods_played: int
    started_at: datetime | None
    base: str
    with_notes: bool
    is_active: bool
    is_finished: bool


@dataclass(frozen=True)
class SharedPeriod:
    """One period of a run whose link shows notes. Field names are those that the partials of the run page use."""

    index: int
    is_played: bool
    is_survey: bool
    happened: list[PageSection]
    notes: list[NoteView]
    calls: list[CallLine]
    previous: int | None
    next: int | None
    period: None = field(default=None)
    """Always None. For members, the template reads tokens and cost from this field."""

    @property
    def has_pair(self) -> bool:
        return len(self.notes) == 2

    @property
    def players(self) -> int:
        return len({call.player for call in self.calls})


@dataclass(frozen=True)
class SharedNotes:
    """A page of notes.

    first: first period of this page
    pages: (first, last) period of each page
    """

    notes: list[NoteView]
    first: int
    pages: list[tuple[int, int]]

    @property
    def players(self) -> int:
        return len({note.player for note in self.notes})


def run_charts(run: Run) -> dict[str, str]:
    """Return the figures of a run as name -> title."""
    presenter = parts_of(run.instance.environment).presenter
    titles = {"chart": presenter.chart_title, "plane": presenter.plane_title}
    return {name: title for name, title in titles.items() if title}


def shared_run(run: Run, base: str, *, with_notes: bool) -> SharedRun:
    charts = [(title, f"{base}{name}.json") for name, title in run_charts(run).items()]
    return build_shared(
        SharedRun,
        run,
        title=run_title(run),
        agent=run.agent.name,
        facts=page.run_setting(run),
        figures=page.run_outcome(run),
        meanings=score_meanings([run.instance.environment]),
        charts=charts,
        findings=[
            build_shared(SharedFinding, finding)
            for finding in run_report(run).findings
            if with_notes or not finding.quotes_notes
        ],
        started_at=None if run.imported else run.started_at,  # the time zone of an imported log is unknown
        base=base,
        with_notes=with_notes,
    )


def run_chart(run: Run, organization: Organization, name: str) -> PlotlyFigure:
    """Return the data of the figure 'chart', or of 'plane' if the environment has one. Raises Http404 for others."""
    if not has_figure(run.instance.environment, name):
        raise Http404
    colour = styles_of_agents(organization=organization)[run.agent_id].colour
    return run_figure(run.instance.as_problem(), outcomes_of_run(run), run.periods, colour, name)


def shared_period(run: Run, index: int) -> SharedPeriod:
    """Return one period for visitors. Raises Http404 if it was not played.

    Calls with number 0, which got no reply in time, are left out, because they name costs and errors.
    """
    if index >= run.periods_played:
        raise Http404
    view = period_view(run, index)
    calls = [
        # Token counts are removed, so that the page shows the size of the thinking in characters.
        replace(call, result_note=call.result_note.partition("; the transcript")[0], thinking_tokens=0)
        for call in view.calls
        if call.number
    ]
    before, after = index - 1 if index else None, index + 1 if index + 1 < run.periods_played else None
    return build_shared(SharedPeriod, view, calls=calls, previous=before, next=after, period=None)


def shared_notes(run: Run, first: int) -> SharedNotes:
    first = min(first, max(0, run.periods - 1)) // NOTES_A_PAGE * NOTES_A_PAGE
    return SharedNotes(notes_page(run, first), first, note_ranges(run))


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
    """The comparison of two agents, `first` and `second`, in an experiment with stages."""

    first: str
    second: str
    planned: float | None
    sentence: str
    rows: list[SharedStage]


@dataclass(frozen=True)
class SharedExperiment:
    """An experiment.

    by_state: (state, how it is shown, number of runs) for the legend
    prefix: start of the address of each run; the run's number follows
    """

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
    by_state: list[tuple[str, ShownState, int]]
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
    """Return the run with a number from 1, joined with its instance and agents. Raises Http404."""
    rows = Run.objects.filter(experiment=experiment).select_related("instance", "agent", "rival", "experiment")
    numbered_runs = rows.order_by("id")[number - 1 : number] if 1 <= number <= 10**6 else ()
    for run in numbered_runs:
        return run
    raise Http404
