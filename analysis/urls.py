from django.urls import path

from analysis import views

app_name = "analysis"
urlpatterns = [
    path("leaderboard/", views.leaderboard, name="leaderboard"),
    path("leaderboard/cell/", views.cell, name="cell"),
    path("leaderboard/figure.json", views.strip, name="strip"),
    path("leaderboard/table.csv", views.table_csv, name="table-csv"),
    path("leaderboard/table.tex", views.table_latex, name="table-latex"),
    path("leaderboard/figure.csv", views.strip_csv, name="strip-csv"),
    path("runs/<int:run_id>/figure.json", views.run_figure, name="run-figure"),
]
