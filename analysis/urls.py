from django.urls import path

from analysis.views import leaderboard, litmus, runs, spend

app_name = "analysis"
urlpatterns = [
    path("leaderboard/", leaderboard.leaderboard, name="leaderboard"),
    path("leaderboard/cell/", leaderboard.cell, name="cell"),
    path("leaderboard/figure.json", leaderboard.strip, name="strip"),
    path("leaderboard/table.csv", leaderboard.table_csv, name="table-csv"),
    path("leaderboard/table.tex", leaderboard.table_latex, name="table-latex"),
    path("leaderboard/figure.csv", leaderboard.strip_csv, name="strip-csv"),
    path("litmus/", litmus.litmus, name="litmus"),
    path("litmus/table.csv", litmus.table_csv, name="litmus-csv"),
    path("litmus/runs.csv", litmus.runs_csv, name="litmus-runs-csv"),
    path("litmus/pareto.json", litmus.pareto, name="litmus-pareto"),
    path("litmus/patience.json", litmus.patience, name="litmus-patience"),
    path("litmus/names.json", litmus.names, name="litmus-names"),
    path("litmus/markets.json", litmus.markets, name="litmus-markets"),
    path("experiments/<int:experiment_id>/litmus/", litmus.of_experiment, name="experiment-litmus"),
    path("spend/figure.json", spend.spend_days, name="spend-figure"),
    path("runs/<int:run_id>/figure.json", runs.run_figure, name="run-figure"),
    path("runs/<int:run_id>/plane.json", runs.run_plane, name="run-plane"),
]
