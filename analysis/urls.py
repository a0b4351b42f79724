from django.urls import path

from analysis.figures.registry import LITMUS_CHARTS
from analysis.views import agents, compare, compare_runs, leaderboard, litmus, runs, saved, spend, trends

app_name = "analysis"
urlpatterns = [
    path("leaderboard/", leaderboard.leaderboard, name="leaderboard"),
    path("leaderboard/cell/", leaderboard.cell, name="cell"),
    path("leaderboard/figure.json", leaderboard.strip, name="strip"),
    path("leaderboard/table.csv", leaderboard.table_csv, name="table-csv"),
    path("leaderboard/table.tex", leaderboard.table_latex, name="table-latex"),
    path("leaderboard/figure.csv", leaderboard.strip_csv, name="strip-csv"),
    *(
        path(f"{place}{file}", view, {"kind": kind}, name=f"{name}{ending}")
        for kind, place, name in (("benchmark", "compare/", "compare"), ("litmus", "compare/litmus/", "compare-litmus"))
        for file, view, ending in (
            ("", compare.compare, ""),
            ("figure.json", compare.figure, "-figure"),
            ("pairs.csv", compare.pairs_csv, "-csv"),
        )
    ),
    path("compare/runs/", compare_runs.compare_runs, name="compare-runs"),
    path("compare/runs/figure.json", compare_runs.figure, name="compare-runs-figure"),
    path("compare/runs/periods.csv", compare_runs.periods_csv, name="compare-runs-csv"),
    path("trends/", trends.trends, name="trends"),
    path("trends/figure.json", trends.figure, name="trends-figure"),
    path("trends/observations.csv", trends.observations_csv, name="trends-csv"),
    path("litmus/", litmus.litmus, name="litmus"),
    path("litmus/table.csv", litmus.table_csv, name="litmus-csv"),
    path("litmus/runs.csv", litmus.runs_csv, name="litmus-runs-csv"),
    *(path(f"litmus/{name}.json", litmus.figure, {"name": name}, name=f"litmus-{name}") for name in LITMUS_CHARTS),
    path("experiments/<int:experiment_id>/litmus/", litmus.of_experiment, name="experiment-litmus"),
    path("agents/<path:agent_slug>/scores.json", agents.over_time, name="agent-scores"),
    path("agents/<path:agent_slug>/litmus.json", agents.litmus_profile, name="agent-litmus"),
    path("agents/<path:agent_slug>/", agents.agent, name="agent"),
    path("spend/figure.json", spend.spend_days, name="spend-figure"),
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
    path("runs/<int:run_id>/figure.json", runs.run_figure, name="run-figure"),
    path("runs/<int:run_id>/plane.json", runs.run_figure, {"name": "plane"}, name="run-plane"),
]
