"""The content of events, and the messages to receivers: the event itself, or one sentence in a chat's format.

Contents are names, states, scores, costs and URLs, never texts of agents or comments of people.
"""

import json
from datetime import UTC
from typing import Any

from django.conf import settings
from django.db.models import Avg, Count
from django.urls import reverse

from accounts.models import Organization
from environments.json_text import read_json
from infrastructure.money import usd, usd_or_none
from runs.models import Agent, BudgetAlert, Experiment, Run, RunState
from runs.selectors.progress import progress_of
from workspace.webhooks.models import Event, EventKind, MessageForm

MAX_REASON = 500
MAX_RESULTS = 200
"""The most rows in the results of an experiment, one for each environment, difficulty, agent and variant."""


def event(organization: Organization, kind: EventKind, data: dict[str, Any], experiment_id: int | None = None) -> Event:
    """An unsaved event with the JSON text to send."""
    row = Event(organization=organization, kind=kind, experiment_id=experiment_id)
    row.body = json.dumps(
        {
            "id": row.public_id,
            "type": str(kind),
            "created_at": row.created_at.astimezone(UTC).isoformat(),
            "organization": {"id": organization.pk, "name": organization.name},
            "data": data,
        },
        ensure_ascii=False,
    )
    return row


def run_data(run: Run) -> dict[str, Any]:
    data = {
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
        "url": _url("dashboard:run", run.pk),
    }
    cause = {"pause_cause": run.pause_cause} if run.state == RunState.PAUSED else {}
    return {"run": data | cause | _money(run.cost_nano, run.budget_nano), "experiment": _experiment(run.experiment)}


def experiment_data(experiment: Experiment) -> dict[str, Any]:
    """State, number of runs by state, and mean score of finished runs by agent."""
    by = ("instance__environment", "instance__difficulty", "agent__slug", "variant")
    finished = Run.objects.filter(experiment=experiment, state=RunState.FINISHED)
    scores = finished.order_by(*by).values_list(*by).annotate(Count("id"), Avg("score"))
    names = ("environment", "difficulty", "agent", "variant", "finished", "mean_score")
    progress = progress_of([experiment.pk])[experiment.pk]
    return {
        "experiment": {
            **_experiment(experiment),
            "state": progress.state,
            "summary": progress.summary,
            "runs": progress.counts,
            "results": [dict(zip(names, row, strict=True)) for row in scores[:MAX_RESULTS]],
            **_money(experiment.cost_nano, experiment.budget_nano),
        }
    }


def alert_data(alert: BudgetAlert) -> dict[str, Any]:
    """The content of a budget alert. `percent` is the share spent, `threshold` the limit that it passed.

    `scope` is the kind of budget: run, experiment, member or organization. The latter two are for one month.
    """
    data = {"percent": alert.percent_then, "threshold": alert.percent} | _money(alert.cost_nano, alert.budget_nano)
    if alert.run is not None:
        data |= {"scope": "run", "run": {"id": alert.run.pk, "url": _url("dashboard:run", alert.run.pk)}}
    elif alert.experiment is not None:
        data |= {"scope": "experiment", "experiment": _experiment(alert.experiment)}
    elif month := alert.monthly_spend:
        user = month.user
        data |= {"month": f"{month.month:%Y-%m}", "url": _url("spending:spend")}
        data |= (
            {"scope": "member", "member": {"id": user.pk, "name": user.shown_name}}
            if user
            else {"scope": "organization"}
        )
    return {"budget": data}


def drift_data(agent: Agent, experiment: Experiment | None, watch: dict[str, Any]) -> dict[str, Any]:
    """The content of a watch's notice. watch: id, kind of the notice, number of the round or None, sentence"""
    about = {"watch": watch | {"agent": _agent(agent), "url": _url("drift:watch", watch["id"])}}
    return about | ({"experiment": _experiment(experiment)} if experiment else {})


def _agent(agent: Agent) -> dict[str, Any]:
    return {"id": agent.pk, "slug": agent.slug, "name": agent.name}


def _experiment(experiment: Experiment) -> dict[str, Any]:
    return {"id": experiment.pk, "name": experiment.name, "url": _url("dashboard:experiment", experiment.pk)}


def _url(page: str, *args: int) -> str:
    return f"{settings.PUBLIC_URL}{reverse(page, args=args)}"


def _money(cost_nano: int, budget_nano: int | None) -> dict[str, Any]:
    return {"cost_usd": usd(cost_nano), "budget_usd": usd_or_none(budget_nano)}


ESCAPED = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
"""Characters to escape: in Slack's texts, they mark entities, links and mentions of everybody."""

MOST_CONTENT = 2000
"""The most characters of a message that Discord accepts."""


def message_of(body: str, form: str) -> str:
    """The JSON text to send for a stored event. form: a MessageForm"""
    if form == MessageForm.EVENT:
        return body
    text = sentence_of(read_json(body))
    if form == MessageForm.TEXT:
        return json.dumps({"text": text.translate(ESCAPED)}, ensure_ascii=False)
    # Mentions are switched off, so that a name such as @everyone mentions nobody.
    return json.dumps({"content": text[:MOST_CONTENT], "allowed_mentions": {"parse": []}}, ensure_ascii=False)


def sentence_of(message: dict[str, Any]) -> str:
    """An event as a sentence: 'Run 7 finished: pricing BASIC seed 0, GPT-5, score 93.0 of 100. https://…'"""
    data = message["data"]
    if "budget" in data:
        budget = data["budget"]
        about = budget.get("run") or budget.get("experiment") or budget
        return f"{budget['percent']} % of a budget of {message['organization']['name']} is spent. {about['url']}"
    if "watch" in data:
        return f"{data['watch']['sentence']} {data['watch']['url']}"
    if "run" in data:
        run = data["run"]
        game = " ".join(str(run[name]) for name in ("environment", "difficulty") if run[name] is not None)
        seed = f" seed {run['seed']}" if run["seed"] is not None else ""
        score = f", score {100 * run['score']:.1f} of 100" if run["score"] is not None else ""
        reason = f" {run['reason']}" if run["reason"] else ""
        return f"Run {run['id']} {run['state']}: {game}{seed}, {run['agent']['name']}{score}.{reason} {run['url']}"
    if "experiment" in data:
        experiment = data["experiment"]
        return f"Experiment {experiment['name']} {experiment['state']}: {experiment['summary']}. {experiment['url']}"
    return str(data["message"])
