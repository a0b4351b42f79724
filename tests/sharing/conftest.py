"""An organization full of canaries: words that no visitor may ever read stand in every place that could leak."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

SECRETS = {
    "cost": "98765.43",
    "tokens": "7,654,321",
    "mail": "canary-mail",
    "person": "Canary Person",
    "endpoint": "canary-endpoint",
    "host": "canary-host",
    "key": "cnry",
    "reason": "canary-reason",
    "error": "canary-error",
    "hidden truth": "canary-hidden",
    "other run": "Canary Rival",
    "other experiment": "Canary Experiment",
    "label": "canary-label",
}
"""Never, whatever a link allows."""

NOTES = {"note": "canary-note", "said": "canary-said", "argument": "canary-argument", "result": "canary-result"}
"""Only where a link has notes on."""


@pytest.fixture
def owner(alice: Any) -> Any:
    """The owner's membership; name and address are canaries."""
    type(alice).objects.filter(pk=alice.pk).update(
        email=f"{SECRETS['mail']}@example.org", first_name="Canary", last_name="Person"
    )
    alice.refresh_from_db()
    return alice.memberships.select_related("organization", "user").get()


@pytest.fixture
def member(owner: Any) -> Client:
    client = Client()
    client.force_login(owner.user)
    return client


@pytest.fixture
def played(launch: Callable[..., Any], organization: Any, owner: Any) -> Callable[..., Any]:
    """An experiment played by the engine, then given to a model behind an endpoint, with canaries in every field."""

    def play(environment: str = "procurement", **options: Any) -> Any:
        from runs.engine.advance import advance

        difficulty = "BASIC" if environment in ("procurement", "scheduling", "pricing") else "STANDARD"
        values = {"environments": (environment,), "difficulties": (difficulty,), "periods": 3} | options
        experiment = launch(BASELINE[environment], **values)
        for run_id in experiment.runs.values_list("id", flat=True):
            advance(run_id)
        model = _model(organization)
        for run in experiment.runs.select_related("instance"):
            _poison(run, model)
        experiment.runs.update(
            agent=model, cost_nano=98_765_430_000_000, input_tokens=7_654_321, reason="canary-reason"
        )
        type(experiment).objects.filter(pk=experiment.pk).update(cost_nano=98_765_430_000_000, created_by=owner.user)
        experiment.refresh_from_db()
        return experiment

    return play


BASELINE = {
    "procurement": "random",
    "scheduling": "random",
    "pricing": "random",
    "efficiency_vs_equality": "equality-greedy-efficiency",
    "collusiveness_vs_competitiveness": "collusion-nash",
    "patience_vs_impatience": "random",
}


@pytest.fixture
def rival(organization: Any, launch: Callable[..., Any]) -> Any:
    """A finished run of another agent in another experiment of the same organization."""
    from runs.models import Agent

    experiment = launch("optimum", environments=("pricing",), periods=2)
    type(experiment).objects.filter(pk=experiment.pk).update(name=SECRETS["other experiment"])
    agent = Agent.objects.create(organization=organization, slug="canary-rival", name=SECRETS["other run"], model="x")
    experiment.runs.update(agent=agent, state="finished", score=0.5)
    return experiment


@pytest.fixture
def board(organization: Any, owner: Any) -> Callable[..., Any]:
    def save(name: str = "Shared table", kind: str = "benchmark", **filters: Any) -> Any:
        from analysis.benchmark.filters import TableFilter
        from analysis.litmus.filters import LitmusFilter
        from analysis.saved.services import leaderboard_create

        chosen = LitmusFilter(**filters) if kind == "litmus" else TableFilter(**filters)
        return leaderboard_create(organization=organization, user=owner.user, kind=kind, name=name, filters=chosen)

    return save


@pytest.fixture
def link(owner: Any) -> Callable[..., str]:
    """The path of a new link to something; `of` is the ShareLink."""

    def make(target: Any, **options: Any) -> str:
        from sharing.services import share_link_create

        values = {"lasts": "30", "label": SECRETS["label"]} | options
        return f"/s/{share_link_create(actor=owner, target=target, **values)[1]}/"

    return make


def _model(organization: Any) -> Any:
    from accounts.models import Endpoint
    from runs.models import Agent

    endpoint = Endpoint.objects.get_or_create(
        organization=organization,
        name="canary-endpoint",
        defaults={
            "provider": "openai-compatible",
            "base_url": "https://canary-host.example/v1",
            "key_last_four": "cnry",
        },
    )[0]
    return Agent.objects.get_or_create(
        organization=organization,
        slug="house",
        defaults={
            "name": "House model",
            "model": "house-1",
            "provider": "openai-compatible",
            "endpoint": endpoint,
            "input_price": 1,
            "output_price": 1,
        },
    )[0]


def _poison(run: Any, model: Any) -> None:
    from runs.models import Exchange, Note, Period

    instance = run.instance
    instance.hidden = instance.hidden | {"canary": "canary-hidden"}
    instance.save()
    Period.objects.filter(run=run).update(cost_nano=98_765_430_000_000, input_tokens=7_654_321)
    Note.objects.filter(run=run).delete()
    Exchange.objects.filter(run=run).delete()
    call = {"name": "submit", "arguments": {"x": "canary-argument"}, "raw": "", "id": "1"}
    result = {"text": "canary-result", "is_error": False, "ignored": False, "characters": 13}
    money = {"cost_nano": 98_765_430_000_000, "input_tokens": 7_654_321, "fence": 1, "attempt": 0}
    for index in range(run.periods_played):
        Note.objects.create(run=run, period_index=index, seat="seat_0", order=0, text=f"canary-note {index}")
        place = {"run": run, "period_index": index, "seat": "seat_0"}
        reply = {"text": "canary-said", "calls": [call], "stop": "tool_use"}
        Exchange.objects.create(**place, **money, step=0, send=0, state="unknown", error="canary-error at canary-host")
        Exchange.objects.create(**place, **money, step=0, send=1, state="replied", reply=reply, results=[result])
