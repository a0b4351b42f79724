"""Leaderboards and analyses of notes for visitors.

A leaderboard has the table and figures that members see. Its links lead only to pages of the share link. An analysis of
notes has agents, clusters and figures. With notes it also has the words and paragraphs that it quotes.

Names of clusters are words of the notes, or words of a model about them. Without notes clusters have numbers instead.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.http import Http404, QueryDict
from django.shortcuts import get_object_or_404

from accounts.models import Organization
from analysis.base.benchmark_filters import TableFilter, environment_title
from analysis.base.leaderboard import LeaderboardLinks, nowhere
from analysis.base.selectors import styles_of_agents
from analysis.base.table import BenchmarkColumn, LeaderboardKind
from analysis.benchmark.runs import cell_runs
from analysis.benchmark.selectors import runs_summary
from analysis.benchmark.table import Row
from analysis.litmus.page import LitmusPage
from analysis.models import Leaderboard
from analysis.notes.models import NotesAnalysis
from analysis.notes.study.pages import StudyPage, scatter_figure, study_page
from analysis.notes.study.selectors import StudyFilter
from analysis.notes.text.report import Result, runs_of, unnamed
from analysis.saved.kinds import KINDS, Content, from_json
from analysis.saved.selectors import facts_of
from environments.registry import LITMUS_TESTS, score_meanings
from infrastructure.figures.theme import PlotlyFigure
from runs.models import Agent
from sharing.shown import build_shared
from stats.summaries import Summary

MOST_RUNS = 500
OTHERS = "runs that do not fit these filters are left out"
"""The only sentence for visitors about runs that are left out. It does not tell whether there are any, how many or which."""


@dataclass(frozen=True)
class SharedLeaderboard:
    """A saved answer. `page` is the further content of a litmus page; None for other kinds."""

    name: str
    description: str
    facts: list[str]
    meanings: dict[str, str]
    is_leaderboard: bool
    leaderboard: Content
    page: LitmusPage | None


@dataclass(frozen=True)
class SharedScore:
    """One run behind a cell of the table, without its id. `score` is None unless the run is finished."""

    seed: int
    state: str
    label: str
    score: float | None
    solved: bool
    played_periods: int
    periods: int


@dataclass(frozen=True)
class SharedCell:
    agent: str
    environment: str
    difficulty: str
    summary: Summary
    runs: list[SharedScore]


def shared_leaderboard(
    saved: Leaderboard, organization: Organization, address: str, view: QueryDict, *, embedded: bool = False
) -> SharedLeaderboard:
    base, run_filter = (from_json(saved.kind, saved.filters, query) for query in (None, view))
    whole = run_filter.query(base)

    def cell(row: Row, column: BenchmarkColumn) -> str:
        own = {"agent": row.agent_slug, "environment": column.environment, "difficulty": column.difficulty}
        return f"{address}cell/?{urlencode(own)}"

    links = LeaderboardLinks(
        query=lambda **changes: run_filter.query(base, **changes),
        figure=lambda name: f"{address}{name}.json?{whole}".rstrip("?"),
        # Pages of cells must not be framed by other sites, so an embedded table does not link to them.
        cell=nowhere if embedded else cell,
        sorts=not embedded,
    )
    kind = KINDS[saved.kind]
    content, page = kind.build(organization, run_filter, links)
    meanings = score_meanings(getattr(run_filter, "environments", LITMUS_TESTS))
    facts = [*facts_of(saved, content), OTHERS]
    return SharedLeaderboard(saved.name, saved.description, facts, meanings, kind.is_leaderboard, content, page)


def leaderboard_figure(
    leaderboard: Leaderboard, organization: Organization, name: str, view: QueryDict
) -> PlotlyFigure:
    """Return the data of a figure of a leaderboard. Its dots have no links. Raises Http404 if there is no such figure.

    name: of the figure, with the environment after a dot where it shows only one, such as 'strip.pricing'
    """
    figure, _, environment = name.partition(".")
    if environment:
        view = QueryDict(mutable=True)
        view["chart"] = environment
    run_filter = from_json(leaderboard.kind, leaderboard.filters, view)
    figures = KINDS[leaderboard.kind].answer.figures
    left_out = environment and isinstance(run_filter, TableFilter) and environment not in run_filter.environments
    if figure not in figures or figures[figure].needs_key or left_out:
        raise Http404
    return figures[figure].draw(organization, run_filter, nowhere)


def shared_cell(leaderboard: Leaderboard, organization: Organization, parameters: QueryDict) -> SharedCell:
    """Return the scores behind a cell of the table. Raises Http404 for all other cells, whether they exist or not.

    parameters: the query, with agent (slug), environment and difficulty
    """
    run_filter = from_json(leaderboard.kind, leaderboard.filters)
    column = BenchmarkColumn(parameters.get("environment", ""), parameters.get("difficulty", ""))
    slug = parameters.get("agent", "").replace("\x00", "")
    is_benchmark = leaderboard.kind == LeaderboardKind.BENCHMARK
    if not is_benchmark or not isinstance(run_filter, TableFilter) or column not in run_filter.columns:
        raise Http404
    agent = get_object_or_404(Agent, organization=organization, slug=slug)
    runs = cell_runs(organization=organization, table_filter=run_filter, column=column, agent=agent)
    scores = [
        build_shared(
            SharedScore,
            run,
            run.instance,
            score=run.score if run.state == "finished" else None,
            solved=bool(run.solved),
            played_periods=run.periods_played,
        )
        for run in runs[:MOST_RUNS]
    ]
    if not scores:
        raise Http404
    title = environment_title(column.environment)
    return SharedCell(agent.name, title, column.difficulty, runs_summary(runs), scores)


FIGURES = {"map": "Paragraphs by likeness"}
WHOLE = ("paragraphs", "runs", "agents", "variance", "unnamed")
CLUSTER = ("label", "size", "dominant", "dominance", "agents")
PREFERENCES = ("agent", "share", "mean", "longest", "cluster_share", "cluster_mean")
"""Keys that visitors see with and without notes. WHOLE are the keys of a result, CLUSTER those of
one of its clusters, PREFERENCES those of a row about preferences."""


@dataclass(frozen=True)
class SharedAnalysis:
    """An analysis of notes. `facts` describe which notes were read."""

    name: str
    facts: list[str]
    created_at: datetime
    with_notes: bool
    study: StudyPage


def refusal(analysis: NotesAnalysis) -> str:
    """Return a sentence that says why an analysis cannot be shared now; "" if it can."""
    if analysis.is_working:
        return "This analysis is not finished. It can be shared when it is done."
    return "" if analysis.result is not None else "This analysis has no result, so there is nothing to share."


def shared_analysis(
    analysis: NotesAnalysis, organization: Organization, base: str, *, with_notes: bool
) -> SharedAnalysis:
    """Return an analysis for visitors. Raises Http404 if it has no result."""
    naming = "Name by a model" if analysis.labels_by_id else "Words that stand out"
    study = study_page(
        _visible(analysis, with_notes=with_notes),
        styles_of_agents(organization=organization),
        nowhere,
        naming=naming,
        # The name of the embedding model is hidden, because it may tell whose endpoint was used.
        vectors="embedding model" if analysis.model else "",
        figure=f"{base}map.json",
    )
    facts = StudyFilter.model_validate(analysis.filter).describe()
    return build_shared(SharedAnalysis, analysis, facts=facts, with_notes=with_notes, study=study)


def analysis_figure(analysis: NotesAnalysis, organization: Organization, name: str) -> PlotlyFigure:
    """Return the data of the figure 'map'. Its points name agents and periods, without links. Raises Http404 for others."""
    if name not in FIGURES:
        raise Http404
    result = _visible(analysis, with_notes=False)
    return scatter_figure(result, styles_of_agents(organization=organization), nowhere)


def _visible(analysis: NotesAnalysis, *, with_notes: bool) -> Result:
    """Return the parts of a result that visitors may see. Runs have numbers from 1 instead of ids. Raises Http404."""
    result = analysis.result_left
    if result is None:
        raise Http404
    if not with_notes:
        result = unnamed(result)
    numbers = {run: number for number, run in enumerate(sorted(runs_of(result)), 1)}
    clusters = [
        {name: cluster[name] for name in CLUSTER} | {"nearest": _quoted(cluster, numbers) if with_notes else []}
        for cluster in result["clusters"]
    ]
    return {name: result[name] for name in WHOLE if name in result} | {
        "found": result.get("found", result["paragraphs"]),
        "clusters": clusters,
        "points": [[x, y, agent, numbers[run], period] for x, y, agent, run, period in result["points"]],
        "preferences": [
            {name: row.get(name) for name in PREFERENCES} | {"example": None} for row in result["preferences"]
        ],
        "sentences": result["sentences"],
    }


def _quoted(cluster: dict[str, Any], numbers: dict[int, int]) -> list[dict[str, Any]]:
    return [
        {name: example[name] for name in ("agent", "period", "text")} | {"run": numbers[example["run"]]}
        for example in cluster["nearest"]
    ]
