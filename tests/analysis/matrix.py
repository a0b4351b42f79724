"""What every address of the analysis part answers to everybody, by GET and by POST without a body."""

from analysis.benchmark.filters import TableFilter
from analysis.saved.services import leaderboard_create

TABLES = (
    *(
        "leaderboard/table",
        "leaderboard/runs",
        "compare/pairs",
        "compare/numbers",
        "compare/litmus/pairs",
        "compare/litmus/numbers",
        "compare/runs/periods",
        "mechanisms/tests",
        "mechanisms/changes",
        "mechanisms/metrics",
        "mechanisms/reasoning",
        "mechanisms/runs",
        "trends/observations",
        "trends/slopes",
    ),
    *("litmus/table", "litmus/runs", "litmus/standings", "litmus/rates", "litmus/name-tests"),
    *("agents/history", "findings/table"),
)
READ = ("302 200 200 200 200 403", "302 200 200 200 200 403")
ROWS = {
    **{f"{table}.{ending}": READ for table in TABLES for ending in ("csv", "json", "tex")},
    "leaderboard/": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "leaderboard/cell/": ("302 404 404 404 404 403", "302 404 404 404 404 403"),
    "leaderboard/figure.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "leaderboard/figure.csv": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "compare/": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "compare/figure.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "compare/runs/": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "compare/runs/figure.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "agents/<path:agent_slug>/": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "agents/<path:agent_slug>/scores.json": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "agents/<path:agent_slug>/litmus.json": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "compare/litmus/": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "compare/litmus/figure.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "trends/": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "trends/figure.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "mechanisms/": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "mechanisms/pairs.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "mechanisms/difficulties.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "mechanisms/metric.json": ("302 404 404 404 404 403", "302 404 404 404 404 403"),
    "mechanisms/releases.json": ("302 404 404 404 404 403", "302 404 404 404 404 403"),
    "mechanisms/litmus.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "litmus/": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "litmus/pareto.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "litmus/patience.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "litmus/names.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "litmus/markets.json": ("302 200 200 200 200 403", "302 200 200 200 200 403"),
    "experiments/<int:experiment_id>/litmus/": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "experiments/<int:experiment_id>/scores.json": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "experiments/<int:experiment_id>/progress.json": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "experiments/<int:experiment_id>/compare/": ("302 302 302 302 404 403", "302 302 302 302 404 403"),
    "runs/<int:run_id>/figure.json": ("302 200 200 200 404 403", "302 200 200 200 404 403"),
    "runs/<int:run_id>/plane.json": ("302 404 404 404 404 403", "302 404 404 404 404 403"),
    "leaderboards/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "leaderboards/new/": ("302 403 404 404 404 403", "302 403 404 404 404 403"),
    "leaderboards/pinned/": ("302 200 200 200 200 403", "302 405 405 405 405 403"),
    "leaderboards/<int:board_id>/": ("302 200 200 200 404 403", "302 405 405 405 405 403"),
    "leaderboards/<int:board_id>/change/": ("302 403 200 200 404 403", "302 403 422 422 404 403"),
    "leaderboards/<int:board_id>/duplicate/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "leaderboards/<int:board_id>/delete/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "leaderboards/<int:board_id>/pin/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "leaderboards/<int:board_id>/unpin/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "leaderboards/<int:board_id>/up/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
    "leaderboards/<int:board_id>/down/": ("302 403 405 405 405 403", "302 403 302 302 404 403"),
}


def ids(owner):
    """What stands for the placeholders of the rows: a leaderboard and an agent of the organization of `owner`, a
    membership.
    """
    made_by = {"organization": owner.organization, "user": owner.user}
    name = f"{owner.organization.name} board"
    board = leaderboard_create(**made_by, kind="benchmark", name=name, filters=TableFilter())
    agent = owner.organization.agents.create(slug=f"only-{owner.organization.slug}", name="Only here")
    return {"<int:board_id>": board.pk, "<int:leaderboard_id>": board.pk, "<path:agent_slug>": agent.slug}
