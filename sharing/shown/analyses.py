"""A notes analysis for visitors: agents, clusters and figures. With notes, also the words and paragraphs that it quotes.

Names of clusters are words of the notes, or a model's words about them. Without notes clusters have numbers instead.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404

from accounts.models import Organization
from analysis.base.selectors import styles_of_agents
from analysis.figures.theme import PlotlyFigure
from analysis.links import nowhere
from analysis.notes.models import NotesAnalysis
from analysis.notes.study.pages import StudyPage, scatter_figure, study_page
from analysis.notes.study.selectors import StudyFilter
from analysis.notes.text.report import Result, runs_of, unnamed
from sharing.shown import build_shared

FIGURES = {"map": "Paragraphs by likeness"}
WHOLE = ("paragraphs", "runs", "agents", "variance", "unnamed")
CLUSTER = ("label", "size", "dominant", "dominance", "agents")
PREFERENCES = ("agent", "share", "mean", "longest", "cluster_share", "cluster_mean")
"""What visitors always see of a result, a cluster, and a row about preferences."""


@dataclass(frozen=True)
class SharedAnalysis:
    """facts: what was read"""

    name: str
    facts: list[str]
    created_at: datetime
    with_notes: bool
    study: StudyPage


def refusal(analysis: NotesAnalysis) -> str:
    """Why an analysis cannot be shared, as a sentence; empty if it can."""
    if analysis.is_working:
        return "This analysis is not finished. It can be shared when it is done."
    return "" if analysis.result is not None else "This analysis has no result, so there is nothing to share."


def shared_analysis(
    analysis: NotesAnalysis, organization: Organization, base: str, *, with_notes: bool
) -> SharedAnalysis:
    """Raises Http404 for an analysis without a result."""
    naming = "Name by a model" if analysis.labels_by_id else "Words that stand out"
    study = study_page(
        _visible(analysis, with_notes=with_notes),
        styles_of_agents(organization=organization),
        nowhere,
        naming=naming,
        # The name of a model may tell whose endpoint it is.
        vectors="embedding model" if analysis.model else "",
        figure=f"{base}map.json",
    )
    facts = StudyFilter.from_json(analysis.filter).describe
    return build_shared(SharedAnalysis, analysis, facts=facts, with_notes=with_notes, study=study)


def analysis_figure(analysis: NotesAnalysis, organization: Organization, name: str) -> PlotlyFigure:
    """The data of the figure 'map'. Its points name agents and periods, and lead nowhere."""
    if name not in FIGURES:
        raise Http404
    result = _visible(analysis, with_notes=False)
    return scatter_figure(result, styles_of_agents(organization=organization), nowhere)


def _visible(analysis: NotesAnalysis, *, with_notes: bool) -> Result:
    """What visitors may see of a result. Runs have numbers from 1 instead of their ids."""
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
