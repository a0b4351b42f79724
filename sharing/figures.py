"""The figures that can be shared on their own, by name and title. A figure of a leaderboard may say of which environment:
'strip.pricing'.
"""

from __future__ import annotations

from analysis.benchmark.filters import TableFilter, environment_title
from analysis.board_figures import LITMUS_FIGURES
from analysis.models import BoardKind, Leaderboard
from analysis.saved.filters import thaw
from dashboard.presenters import showing_of
from runs.models import Experiment, Run

LITMUS_TITLES = {
    "pareto": "Efficiency against equality, one dot a run",
    "markets": "Average prices of two sellers, one dot a run",
    "patience": "Choices of more money later, by horizon",
    "names": "Does the user's name matter?",
}


def figures_of(target: Leaderboard | Experiment | Run) -> dict[str, str]:
    """name -> title"""
    if isinstance(target, Run):
        showing = showing_of(target.instance.environment)
        planes = {"plane": showing.plane_title} if showing.plane_title else {}
        return {"chart": showing.chart_title} | planes
    if isinstance(target, Leaderboard) and target.kind == BoardKind.LITMUS:
        return {name: LITMUS_TITLES[name] for name in LITMUS_FIGURES}
    if isinstance(target, Leaderboard):
        chosen = thaw(target.kind, target.filters)
        environments = chosen.environments if isinstance(chosen, TableFilter) else ()
        return {f"strip.{name}": f"{environment_title(name)}, one dot a run" for name in environments}
    return {}
