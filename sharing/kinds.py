"""The kinds of things that a link can show. A new kind is a row of `KINDS`, a foreign key of ShareLink and a template."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.http import QueryDict

from accounts.models import Organization
from analysis.kinds import type_of
from analysis.models import Leaderboard
from analysis.saved.filters import from_json
from analysis.saved.selectors import leaderboard_or_404
from runs.models import Experiment, Run
from runs.selectors.experiments import experiment_or_404
from runs.selectors.runs import run_or_404, run_title
from sharing.models import ShareLink
from sharing.shown.boards import shared_board
from sharing.shown.experiments import shared_experiment
from sharing.shown.runs import run_charts, shared_run

Target = Leaderboard | Experiment | Run


@dataclass(frozen=True)
class ShareKind:
    """One kind of thing to share.

    page: URL name of its page for members
    find: the thing by organization and id, or Http404
    title: its name
    figures: name -> title of the figures that can be shared alone
    show: what the page of a link shows, from the thing, the link, the link's address, the query and "is embedded"
    figure_path: path from the link's address to the data of its figures
    has_notes: whether a link may show notes and calls
    """

    page: str
    find: Callable[[Organization, int], Target]
    title: Callable[[Any], str]
    figures: Callable[[Any], dict[str, str]]
    show: Callable[[Any, ShareLink, str, QueryDict, bool], Any]
    figure_path: str = ""
    has_notes: bool = True


def _board_figures(leaderboard: Leaderboard) -> dict[str, str]:
    chosen = from_json(leaderboard.kind, leaderboard.filters)
    return type_of(chosen).figure_titles(chosen)


KINDS: dict[str, ShareKind] = {
    "leaderboard": ShareKind(
        page="analysis:board",
        find=lambda organization, pk: leaderboard_or_404(organization=organization, board_id=pk),
        title=lambda leaderboard: leaderboard.name,
        figures=_board_figures,
        show=lambda leaderboard, link, base, view, embedded: shared_board(
            leaderboard, link.organization, base, view, embedded=embedded
        ),
        has_notes=False,
    ),
    "experiment": ShareKind(
        page="runs:experiment",
        find=lambda organization, pk: experiment_or_404(organization=organization, experiment_id=pk),
        title=lambda experiment: experiment.name,
        figures=lambda experiment: {},
        show=lambda experiment, link, base, view, embedded: shared_experiment(experiment, base),
    ),
    "run": ShareKind(
        page="runs:run",
        find=lambda organization, pk: run_or_404(organization=organization, run_id=pk),
        title=run_title,
        figures=run_charts,
        show=lambda run, link, base, view, embedded: shared_run(run, f"{base}runs/1/", with_notes=link.with_notes),
        figure_path="runs/1/",
    ),
}
"""By the name of the model, which is also the name of the foreign key."""


def name_of(target: Target) -> str:
    """The key of the target's kind."""
    return str(target._meta.model_name)


def title_of(link: ShareLink) -> str:
    """The name of what the link shows."""
    kind, target = KINDS[link.target_kind], link.target
    name = kind.title(target)
    return f"{name}: {kind.figures(target).get(link.figure, 'a figure')}" if link.figure else name
