from collections.abc import Callable

from django.http import HttpResponse
from django.urls import URLPattern, path

from analysis.litmus.exports import PANELS
from analysis.views import agents, compare, experiments, leaderboards, mechanisms, saved
from games.registry import LITMUS_CHARTS
from infrastructure.text.tables import FORMS


def files(route: str, view: Callable[..., HttpResponse], name: str, **options: str) -> list[URLPattern]:
    """The download addresses of a table, one for each file format. The export menu finds them by `name`."""
    return [
        path(f"{route}.{ending}", view, {"form": form, **options}, name=f"{name}-{form}")
        for form, (ending, _, _) in FORMS.items()
    ]


app_name = "analysis"
urlpatterns = [
    path("leaderboard/", leaderboards.leaderboard, name="leaderboard"),
    path("leaderboard/cell/", leaderboards.cell, name="cell"),
    path("leaderboard/figure.json", leaderboards.strip, name="strip"),
    path("leaderboard/figure.csv", leaderboards.runs, {"form": "csv"}, name="strip-csv"),
    *files("leaderboard/table", leaderboards.table, "table"),
    *files("leaderboard/runs", leaderboards.runs, "runs"),
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
    path("trends/", leaderboards.trends, name="trends"),
    path("trends/figure.json", leaderboards.trends_figure, name="trends-figure"),
    *files("trends/observations", leaderboards.observations, "trends"),
    *files("trends/slopes", leaderboards.slopes, "trends-slopes"),
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
    path("litmus/", leaderboards.litmus, name="litmus"),
    *files("litmus/table", leaderboards.litmus_table, "litmus"),
    *files("litmus/runs", leaderboards.litmus_runs, "litmus-runs"),
    *(
        pattern
        for name in PANELS
        for pattern in files(f"litmus/{name}", leaderboards.panel_table, f"litmus-{name}", panel=name)
    ),
    *(
        path(f"litmus/{name}.json", leaderboards.litmus_figure, {"name": name}, name=f"litmus-{name}")
        for name in LITMUS_CHARTS
    ),
    path("experiments/<int:experiment_id>/litmus/", leaderboards.experiment_litmus, name="experiment-litmus"),
    *files("agents/history", agents.table, "history", of="history"),
    *files("findings/table", agents.table, "findings", of="findings"),
    path("experiments/<int:experiment_id>/scores.json", experiments.scores, name="experiment-scores"),
    path("experiments/<int:experiment_id>/progress.json", experiments.progress, name="experiment-progress"),
    path("experiments/<int:experiment_id>/compare/", experiments.compare, name="experiment-compare"),
    path("agents/<path:agent_slug>/scores.json", agents.over_time, name="agent-scores"),
    path("agents/<path:agent_slug>/litmus.json", agents.litmus_profile, name="agent-litmus"),
    path("agents/<path:agent_slug>/", agents.agent, name="agent"),
    path("spend/figure.json", experiments.spend_days, name="spend-figure"),
    path("leaderboards/", saved.leaderboards, name="saved-leaderboards"),
    path("leaderboards/new/", saved.leaderboard_new, name="leaderboard-new"),
    path("leaderboards/pinned/", saved.pinned, name="pinned"),
    path("leaderboards/<int:leaderboard_id>/", saved.saved_leaderboard_page, name="saved-leaderboard"),
    path("leaderboards/<int:leaderboard_id>/change/", saved.leaderboard_edit, name="leaderboard-edit"),
    path("leaderboards/<int:leaderboard_id>/duplicate/", saved.leaderboard_duplicate, name="leaderboard-duplicate"),
    path("leaderboards/<int:leaderboard_id>/delete/", saved.leaderboard_delete, name="leaderboard-delete"),
    path("leaderboards/<int:leaderboard_id>/pin/", saved.leaderboard_pin, {"pinned": True}, name="leaderboard-pin"),
    path(
        "leaderboards/<int:leaderboard_id>/unpin/", saved.leaderboard_pin, {"pinned": False}, name="leaderboard-unpin"
    ),
    path("leaderboards/<int:leaderboard_id>/up/", saved.leaderboard_move, {"up": True}, name="leaderboard-up"),
    path("leaderboards/<int:leaderboard_id>/down/", saved.leaderboard_move, {"up": False}, name="leaderboard-down"),
    path("runs/<int:run_id>/figure.json", experiments.run_figure, name="run-figure"),
    path("runs/<int:run_id>/plane.json", experiments.run_figure, {"name": "plane"}, name="run-plane"),
]
