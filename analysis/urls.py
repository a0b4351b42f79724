from collections.abc import Callable

from django.http import HttpResponse
from django.urls import URLPattern, path

from analysis.answers import ANSWERS, FORMER
from analysis.answers.base import Answer
from analysis.views import agents, answers, compare, experiments, leaderboards, outside_columns, saved
from infrastructure.text.tables import FORMS


def addresses(answer: Answer) -> list[URLPattern]:
    """The page of an answer, the files of its tables as `TABLE-csv`, and its figures as `figure-NAME`."""
    page = path(answer.address, answers.page, {"name": answer.name}, name=answer.name)
    return [
        *([page] if answer.template else []),
        *(
            pattern
            for name, table in answer.tables.items()
            for pattern in files(f"{answer.address}{table.file or name}", answers.table, name, name=name)
        ),
        *(
            path(f"{answer.address}{figure.file or name}.json", answers.figure, {"name": name}, name=f"figure-{name}")
            for name, figure in answer.figures.items()
        ),
    ]


def files(route: str, view: Callable[..., HttpResponse], url_name: str, **options: str) -> list[URLPattern]:
    """The download addresses of a table, one for each file format. The export menu finds them by `url_name`."""
    return [
        path(f"{route}.{ending}", view, {"form": form, **options}, name=f"{url_name}-{form}")
        for form, (ending, _, _) in FORMS.items()
    ]


app_name = "analysis"
urlpatterns = [
    *(pattern for answer in ANSWERS.values() for pattern in addresses(answer)),
    *(
        path(f"{former}/{rest}", answers.moved, {"name": answer.name}, name=f"former-{former}{'-part' if rest else ''}")
        for former, answer in FORMER.items()
        for rest in ("", "<path:rest>")
    ),
    path("leaderboard/cell/", leaderboards.cell, name="cell"),
    path("compare/runs/", compare.compare_runs, name="compare-runs"),
    path("compare/runs/figure.json", compare.runs_figure, name="compare-runs-figure"),
    *files("compare/runs/periods", compare.periods, "compare-runs"),
    path("drift/<int:watch_id>/scores.json", agents.watch_scores, name="watch-scores"),
    path("experiments/<int:experiment_id>/litmus/", leaderboards.experiment_litmus, name="experiment-litmus"),
    path("experiments/<int:experiment_id>/scores.json", experiments.scores, name="experiment-scores"),
    path("experiments/<int:experiment_id>/progress.json", experiments.progress, name="experiment-progress"),
    path("experiments/<int:experiment_id>/compare/", experiments.compare, name="experiment-compare"),
    path("agents/<path:agent_slug>/scores.json", agents.over_time, name="agent-scores"),
    path("agents/<path:agent_slug>/cost.json", agents.cost, name="agent-cost"),
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
    path("leaderboards/<int:leaderboard_id>/up/", saved.leaderboard_up, name="leaderboard-up"),
    path("outside-columns/", outside_columns.columns, name="outside-columns"),
    path("outside-columns/new/", outside_columns.columns_new, name="outside-columns-new"),
    path("outside-columns/<int:column_id>/delete/", outside_columns.column_delete, name="outside-column-delete"),
    path("runs/<int:run_id>/figure.json", experiments.run_figure, name="run-figure"),
    path("runs/<int:run_id>/plane.json", experiments.run_figure, {"name": "plane"}, name="run-plane"),
]
