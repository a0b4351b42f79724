"""Kinds of things that a link can show. A new kind needs an entry in `KINDS`, a foreign key in ShareLink and a template."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from accounts.models import Organization
from analysis.models import Leaderboard
from analysis.notes.study.selectors import analysis_or_404
from analysis.saved.kinds import KINDS as SAVED_KINDS
from analysis.saved.kinds import from_json
from analysis.saved.selectors import leaderboard_or_404
from infrastructure.figures.theme import PlotlyFigure
from runs.selectors.experiments import experiment_or_404, run_or_404, run_title
from sharing.models import Shown, Target
from sharing.shown import leaderboards as shown
from sharing.shown.cards import Card, experiment_card, leaderboard_card, run_card
from sharing.shown.runs import run_charts, shared_experiment, shared_run

NOTES = "visitors also read what the agent thought, wrote and did in each period"


@dataclass(frozen=True)
class ShareKind:
    """One kind of thing to share. Its functions get the thing first, unless noted.

    page: URL name of its page for members
    find: returns the thing with an organization and an id; raises Http404
    title: returns its name
    figures: returns name -> title of the figures that can be shared alone
    show: returns the content of a link's page; arguments: thing, link, address of the link, query, whether it is embedded
    content: this content in words, after "Anyone with the link sees"
    draw: returns the data of a figure; arguments: thing, organization, name of the figure, query. None if the figures of
        this kind have addresses of their own.
    figure_path: path from the address of a link to the data of its figures
    notes: what a link with notes adds, in words; empty if no link of this kind may show notes
    card: returns what previews of the page in chats show, from the content; None if there are no previews
    refusal: returns a sentence that says why the thing cannot be shared now; empty if it can
    """

    page: str
    find: Callable[[Organization, int], Target]
    title: Callable[[Any], str]
    figures: Callable[[Any], Mapping[str, str]]
    show: Callable[[Any, Shown, str, QueryDict, bool], Any]
    content: str
    draw: Callable[[Any, Organization, str, QueryDict], PlotlyFigure] | None = None
    figure_path: str = ""
    notes: str = NOTES
    card: Callable[[Any], Card] | None = None
    refusal: Callable[[Any], str] = lambda target: ""

    @property
    def has_notes(self) -> bool:
        """Whether a link may show notes."""
        return bool(self.notes)


def _leaderboard_figures(leaderboard: Leaderboard) -> Mapping[str, str]:
    run_filter = from_json(leaderboard.kind, leaderboard.filters)
    return SAVED_KINDS[leaderboard.kind].figure_titles(run_filter)


KINDS: dict[str, ShareKind] = {
    "leaderboard": ShareKind(
        page="analysis:saved-leaderboard",
        find=lambda organization, pk: leaderboard_or_404(organization=organization, leaderboard_id=pk),
        title=lambda leaderboard: leaderboard.name,
        figures=_leaderboard_figures,
        show=lambda leaderboard, link, base, view, embedded: shown.shared_leaderboard(
            leaderboard, link.organization, base, view, embedded=embedded
        ),
        content="this page: tables and figures, and for a benchmark the scores behind each cell",
        draw=shown.leaderboard_figure,
        notes="",
        card=leaderboard_card,
    ),
    "experiment": ShareKind(
        page="dashboard:experiment",
        find=lambda organization, pk: experiment_or_404(organization=organization, experiment_id=pk),
        title=lambda experiment: experiment.name,
        figures=lambda experiment: {},
        show=lambda experiment, link, base, view, embedded: shared_experiment(experiment, base),
        content="this experiment and its runs",
        card=experiment_card,
    ),
    "run": ShareKind(
        page="dashboard:run",
        find=lambda organization, pk: run_or_404(organization=organization, run_id=pk),
        title=run_title,
        figures=run_charts,
        show=lambda run, link, base, view, embedded: shared_run(run, f"{base}runs/1/", with_notes=link.with_notes),
        content="this run",
        figure_path="runs/1/",
        card=run_card,
    ),
    "notesanalysis": ShareKind(
        page="notes:analysis",
        find=lambda organization, pk: analysis_or_404(organization=organization, analysis_id=pk),
        title=lambda analysis: analysis.name,
        figures=lambda analysis: shown.FIGURES,
        show=lambda analysis, link, base, view, embedded: shown.shared_analysis(
            analysis, link.organization, base, with_notes=link.with_notes
        ),
        content="agents, sizes of clusters and figures of this analysis",
        draw=lambda analysis, organization, name, view: shown.analysis_figure(analysis, organization, name),
        notes="visitors also read the names of clusters and the paragraphs of notes that the analysis quotes",
        refusal=shown.refusal,
    ),
}
"""Kinds by the name of the model, which is also the name of ShareLink's foreign key."""


def name_of(target: Target) -> str:
    """Return the key of the target's kind in KINDS."""
    return str(target._meta.model_name)


def title_of(link: Shown) -> str:
    """Return the name of the thing, or of the thing and its figure, that the link shows."""
    kind, target = KINDS[link.target_kind], link.target
    name = kind.title(target)
    return f"{name}: {kind.figures(target).get(link.figure, 'a figure')}" if link.figure else name
