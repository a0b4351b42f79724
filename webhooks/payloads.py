"""What is told of an event, and how it is written: names, states, scores, costs and addresses, and nothing that an agent
or a person wrote in confidence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC
from typing import Any

from django.conf import settings
from django.db.models import Avg, Count
from django.urls import reverse

from accounts.models import Organization
from runs.models import Agent, BudgetAlert, Experiment, Run, RunState
from runs.selectors.progress import progress_of
from webhooks.models import Event, EventKind

NANO = 1_000_000_000
MAX_REASON = 500
MAX_RESULTS = 200
"""Lines of an experiment's results; one is an environment, a difficulty, an agent and a variant."""


def event(organization: Organization, kind: EventKind, data: dict[str, Any]) -> Event:
    """An event that is not stored yet, with the text that is sent."""
    told = Event(organization=organization, kind=kind)
    message = {
        "id": told.public_id,
        "type": str(kind),
        "created_at": told.created_at.astimezone(UTC).isoformat(),
        "organization": {"id": organization.pk, "name": organization.name},
        "data": data,
    }
    told.body = json.dumps(message, ensure_ascii=False)
    return told


def runs_with_names(run_ids: Sequence[int]) -> Iterable[Run]:
    """Runs with all that their message names."""
    rows = Run.objects.filter(pk__in=run_ids).order_by("id")
    rows = rows.select_related("organization", "experiment", "instance", "agent", "rival")
    return rows.defer("instance__parameters", "instance__hidden", "instance__reference", "metrics", "experiment__spec")


def of_run(run: Run) -> dict[str, Any]:
    return {"run": _run(run), "experiment": _named(run.experiment)}


def of_experiment(experiment: Experiment) -> dict[str, Any]:
    """With its state, the number of runs in each state, and the mean score of each agent's finished runs."""
    runs = Run.objects.filter(experiment=experiment).order_by()
    by = ("instance__environment", "instance__difficulty", "agent__slug", "variant")
    scores = runs.filter(state=RunState.FINISHED).values_list(*by).annotate(Count("id"), Avg("score")).order_by(*by)
    names = ("environment", "difficulty", "agent", "variant", "finished", "mean_score")
    results = [dict(zip(names, row, strict=True)) for row in scores[:MAX_RESULTS]]
    progress = progress_of([experiment.pk])[experiment.pk]
    told = _named(experiment) | {"state": progress.state, "summary": progress.summary}
    told |= {"runs": progress.counts, "results": results}
    return {"experiment": told | _money(experiment.cost_nano, experiment.budget_nano)}


def of_alert(alert: BudgetAlert) -> dict[str, Any]:
    """`percent` is the true share, `threshold` the warning that it passed. `scope` says whose budget it is: run, experiment,
    member or organization, the latter two of a month.
    """
    told: dict[str, Any] = {"percent": alert.percent_then, "threshold": alert.percent} | _money(
        alert.cost_nano, alert.budget_nano
    )
    if alert.run is not None:
        return {"budget": told | {"scope": "run", "run": {"id": alert.run.pk, "url": _run_page(alert.run.pk)}}}
    if alert.experiment is not None:
        return {"budget": told | {"scope": "experiment", "experiment": _named(alert.experiment)}}
    month = alert.monthly_spend
    assert month is not None
    told |= {"month": f"{month.month:%Y-%m}", "url": address(reverse("runs:spend"))}
    if month.user is None:
        return {"budget": told | {"scope": "organization"}}
    return {"budget": told | {"scope": "member", "member": {"id": month.user.pk, "name": month.user.shown_name}}}


def of_test() -> dict[str, Any]:
    return {"message": "This is a test. Other events look like this one and have more data."}


def address(path: str) -> str:
    return f"{settings.PUBLIC_URL}{path}"


def _run(run: Run) -> dict[str, Any]:
    told = {
        "id": run.pk,
        "state": run.state,
        "reason": run.reason[:MAX_REASON],
        "environment": run.instance.environment,
        "difficulty": run.instance.difficulty,
        "seed": run.instance.seed,
        "variant": run.variant,
        "agent": _agent(run.agent),
        "rival": _agent(run.rival) if run.rival else None,
        "periods_played": run.periods_played,
        "periods": run.periods,
        "score": run.score,
        "solved": run.solved,
        "url": _run_page(run.pk),
    }
    if run.state == RunState.PAUSED:
        told["pause_cause"] = run.pause_cause
    return told | _money(run.cost_nano, run.budget_nano)


def _agent(agent: Agent) -> dict[str, Any]:
    return {"id": agent.pk, "slug": agent.slug, "name": agent.name}


def _named(experiment: Experiment) -> dict[str, Any]:
    page = address(reverse("runs:experiment", args=[experiment.pk]))
    return {"id": experiment.pk, "name": experiment.name, "url": page}


def _run_page(run_id: int) -> str:
    return address(reverse("runs:run", args=[run_id]))


def _money(cost_nano: int, budget_nano: int | None) -> dict[str, Any]:
    return {"cost_usd": cost_nano / NANO, "budget_usd": None if budget_nano is None else budget_nano / NANO}
