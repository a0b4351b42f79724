"""Answers of the analysis part that do not follow from the guards of its views; and the addresses of its tables."""

from analysis.base.benchmark_filters import TableFilter
from analysis.saved.services import leaderboard_create
from tests.outside import column_of

TABLES = (
    *(
        "leaderboard/table",
        "leaderboard/runs",
        "compare/pairs",
        "compare/numbers",
        "compare/litmus/pairs",
        "compare/litmus/numbers",
        "compare/runs/periods",
        "behaviour/tests",
        "behaviour/changes",
        "behaviour/metrics",
        "behaviour/reasoning",
        "behaviour/metric-tests",
        "behaviour/runs",
        "trends/observations",
        "trends/slopes",
        "variance/components",
        "variance/plan",
        "convergence/table",
        "convergence/pairs",
        "learning/table",
        "learning/periods",
        "trajectories/table",
        "cost/table",
        "sensitivity/table",
        "sensitivity/differences",
    ),
    *("generalizability/correlations", "generalizability/points"),
    *("litmus/table", "litmus/runs", "litmus/standings", "litmus/rates", "litmus/name-tests"),
    *("agents/history", "findings/table"),
    *("reproduction/agreement", "reproduction/not-reproduced", "reproduction/printed"),
    *("conditions/conditions", "conditions/printed-prompts"),
)


def _read(codes):
    return {"get": codes, "post": codes}


ROWS = {
    # A cell and a metric are named by the query, which is empty.
    **dict.fromkeys(("leaderboard/cell/", "behaviour/metric.json"), _read("302 404 404 404 404 403")),
    # No model of the cast has a release date, and pricing has no second view.
    **dict.fromkeys(("behaviour/releases.json", "runs/<int:run_id>/plane.json"), _read("302 404 404 404 404 403")),
    **dict.fromkeys(
        (f"agents/<path:agent_slug>/{part}" for part in ("", "scores.json", "litmus.json", "cost.json")),
        _read("302 200 200 200 404 403"),
    ),
    **dict.fromkeys(("mechanisms/", "mechanisms/<path:rest>"), _read("302 301 301 301 301 403")),
    "experiments/<int:experiment_id>/compare/": _read("302 302 302 302 404 403"),
    # The query does not say what to save.
    "leaderboards/new/": _read("302 403 404 404 404 403"),
}


def ids(owner):
    """Values for the placeholders of the rows: a leaderboard and an agent of the organization of `owner`, a
    membership.
    """
    made_by = {"organization": owner.organization, "user": owner.user}
    name = f"{owner.organization.name} leaderboard"
    leaderboard = leaderboard_create(**made_by, kind="benchmark", name=name, filters=TableFilter())
    agent = owner.organization.agents.create(slug=f"only-{owner.organization.slug}", name="Only here")
    return {
        "<int:column_id>": column_of(owner.organization).pk,
        "<int:leaderboard_id>": leaderboard.pk,
        "<path:agent_slug>": agent.slug,
        "<path:rest>": "tests.csv",
    }
