"""The figures that can be shared on their own, by name and title. A figure of a leaderboard may say of which environment:
'strip.pricing'.
"""

from __future__ import annotations

from analysis.benchmark.filters import TableFilter, environment_title
from analysis.board_figures import LITMUS_FIGURES
from analysis.models import BoardKind, Leaderboard
from analysis.saved.filters import thaw
from dashboard.presenters import presenter_of
from runs.models import Experiment, Run

LITMUS_TITLES = {
    "pareto": "Efficiency against equality, each dot is one run",
    "markets": "Average prices of two sellers, each dot is one run",
    "patience": "Choices of more money later, by horizon",
    "names": "Does the user's name matter?",
}


def figures_of(target: Leaderboard | Experiment | Run) -> dict[str, str]:
    """name -> title"""
    if isinstance(target, Run):
        presenter = presenter_of(target.instance.environment)
        planes = {"plane": presenter.plane_title} if presenter.plane_title else {}
        return {"chart": presenter.chart_title} | planes
    if isinstance(target, Leaderboard) and target.kind == BoardKind.LITMUS:
        return {name: LITMUS_TITLES[name] for name in LITMUS_FIGURES}
    if isinstance(target, Leaderboard):
        chosen = thaw(target.kind, target.filters)
        environments = chosen.environments if isinstance(chosen, TableFilter) else ()
        return {f"strip.{name}": f"{environment_title(name)}, each dot is one run" for name in environments}
    return {}
