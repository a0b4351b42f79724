from collections.abc import Callable

from django.http import HttpResponse
from django.urls import URLPattern, path

from analysis.litmus.exports import PANELS
from analysis.views import agents, boards, compare, experiments, mechanisms, saved
from games.registry import LITMUS_CHARTS
from infrastructure.text.tables import FORMS


def files(route: str, view: Callable[..., HttpResponse], name: str, **options: str) -> list[URLPattern]:
    """An address for each form of a table, which the export menu names by `name`."""
    return [
        path(f"{route}.{ending}", view, {"form": form, **options}, name=f"{name}-{form}")
        for form, (ending, _, _) in FORMS.items()
    ]


app_name = "analysis"
urlpatterns = [
    path("leaderboard/", boards.leaderboard, name="leaderboard"),
    path("leaderboard/cell/", boards.cell, name="cell"),
    path("leaderboard/figure.json", boards.strip, name="strip"),
    path("leaderboard/figure.csv", boards.runs, {"form": "csv"}, name="strip-csv"),
    *files("leaderboard/table", boards.table, "table"),
    *files("leaderboard/runs", boards.runs, "runs"),
    *(
        pattern
        for kind, route, name in (("benchmark", "compare/", "compare"), ("litmus", "compare/litmus/", "compare-litmus"))
        for pattern in (
            path(route, compare.compare, {"kind": kind}, name=name),
            path(f"{route}figure.json", compare.figure, {"kind": kind}, name=f"{name}-figure"),
            *files(f"{route}pairs", compare.pairs, name, kind=kind),
            *files(f"{route}numbers", compare.numbers, f"{name}-numbers", kind=kind),
        )
    ),
    path("compare/runs/", compare.compare_runs, name="compare-runs"),
    path("compare/runs/figure.json", compare.runs_figure, name="compare-runs-figure"),
    *files("compare/runs/periods", compare.periods, "compare-runs"),
    path("drift/<int:watch_id>/scores.json", agents.watch_scores, name="watch-scores"),
    path("trends/", boards.trends, name="trends"),
    path("trends/figure.json", boards.trends_figure, name="trends-figure"),
    *files("trends/observations", boards.observations, "trends"),
    *files("trends/slopes", boards.slopes, "trends-slopes"),
    path("mechanisms/", mechanisms.mechanisms, name="mechanisms"),
    path("mechanisms/pairs.json", mechanisms.pairs, name="mechanisms-pairs"),
    path("mechanisms/difficulties.json", mechanisms.difficulties, name="mechanisms-difficulties"),
    path("mechanisms/metric.json", mechanisms.metric, name="mechanisms-metric"),
    path("mechanisms/releases.json", mechanisms.metric, {"by_release": True}, name="mechanisms-releases"),
    path("mechanisms/litmus.json", mechanisms.litmus, name="mechanisms-litmus"),
    *files("mechanisms/tests", mechanisms.tests, "mechanisms-tests"),
    *files("mechanisms/changes", mechanisms.changes, "mechanisms-changes"),
    *files("mechanisms/metrics", mechanisms.means, "mechanisms-means"),
    *files("mechanisms/reasoning", mechanisms.reasoning, "mechanisms-reasoning"),
    *files("mechanisms/runs", mechanisms.runs, "mechanisms-runs"),
    path("litmus/", boards.litmus, name="litmus"),
    *files("litmus/table", boards.litmus_table, "litmus"),
    *files("litmus/runs", boards.litmus_runs, "litmus-runs"),
    *(
        pattern
        for name in PANELS
        for pattern in files(f"litmus/{name}", boards.panel_table, f"litmus-{name}", panel=name)
    ),
    *(
        path(f"litmus/{name}.json", boards.litmus_figure, {"name": name}, name=f"litmus-{name}")
        for name in LITMUS_CHARTS
    ),
    path("experiments/<int:experiment_id>/litmus/", boards.experiment_litmus, name="experiment-litmus"),
    *files("agents/history", agents.table, "history", of="history"),
    *files("findings/table", agents.table, "findings", of="findings"),
    path("experiments/<int:experiment_id>/scores.json", experiments.scores, name="experiment-scores"),
    path("experiments/<int:experiment_id>/progress.json", experiments.progress, name="experiment-progress"),
    path("experiments/<int:experiment_id>/compare/", experiments.compare, name="experiment-compare"),
    path("agents/<path:agent_slug>/scores.json", agents.over_time, name="agent-scores"),
    path("agents/<path:agent_slug>/litmus.json", agents.litmus_profile, name="agent-litmus"),
    path("agents/<path:agent_slug>/", agents.agent, name="agent"),
    path("spend/figure.json", experiments.spend_days, name="spend-figure"),
    path("leaderboards/", saved.boards, name="boards"),
    path("leaderboards/new/", saved.board_new, name="board-new"),
    path("leaderboards/pinned/", saved.pinned, name="pinned"),
    path("leaderboards/<int:board_id>/", saved.board, name="board"),
    path("leaderboards/<int:board_id>/change/", saved.board_edit, name="board-edit"),
    path("leaderboards/<int:board_id>/duplicate/", saved.board_duplicate, name="board-duplicate"),
    path("leaderboards/<int:board_id>/delete/", saved.board_delete, name="board-delete"),
    path("leaderboards/<int:board_id>/pin/", saved.board_pin, {"pinned": True}, name="board-pin"),
    path("leaderboards/<int:board_id>/unpin/", saved.board_pin, {"pinned": False}, name="board-unpin"),
    path("leaderboards/<int:board_id>/up/", saved.board_move, {"up": True}, name="board-up"),
    path("leaderboards/<int:board_id>/down/", saved.board_move, {"up": False}, name="board-down"),
    path("runs/<int:run_id>/figure.json", experiments.run_figure, name="run-figure"),
    path("runs/<int:run_id>/plane.json", experiments.run_figure, {"name": "plane"}, name="run-plane"),
]
