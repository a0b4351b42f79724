"""Events are recorded once, in the transaction of the change, for subscribed webhooks."""

import json
from decimal import Decimal

import pytest
from django.db import transaction

from runs.engine import lease
from runs.engine.advance import advance
from runs.launching.plan import LaunchPlan
from runs.models import Agent, Experiment, Run, RunState
from runs.services import (
    experiment_launch,
    experiment_set_budget,
    member_set_budget,
    organization_set_budget,
    runs_control,
)
from tests.cast import book, play_all
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider
from tests.unproven import CLIMBER, GAME, limit_attempts, prove_all, solve_here
from workspace.webhooks.models import Delivery, Event
from workspace.webhooks.services import webhook_create, webhook_pause, webhook_resume


def body(kind):
    return json.loads(Event.objects.get(kind=kind).body)


def test_a_finished_run_is_reported_with_its_score_and_experiment(hook, played, event_kinds, organization, settings):
    experiment = played("pricing-constant")
    run = experiment.runs.get()
    assert event_kinds() == ["run.finished", "experiment.finished"]
    message = body("run.finished")
    assert message["id"].startswith("evt_") and message["type"] == "run.finished"
    assert message["organization"] == {"id": organization.pk, "name": "Market Lab"}
    said = message["data"]["run"]
    assert (said["id"], said["state"], said["score"]) == (run.pk, "finished", run.score)
    assert (said["environment"], said["difficulty"], said["seed"]) == ("pricing", "BASIC", 0)
    assert said["url"] == f"{settings.PUBLIC_URL}/runs/{run.pk}/"
    said = body("experiment.finished")["data"]["experiment"]
    assert said["runs"] == {"finished": 1}
    assert said["results"][0]["mean_score"] == pytest.approx(run.score)
    assert Delivery.objects.filter(webhook=hook, state="waiting").count() == 2


@pytest.mark.long
def test_an_experiment_is_finished_with_its_last_run_and_not_before(hook, launch, event_kinds):
    experiment = launch("random", "pricing-constant", seeds=(0, 1))
    for number, run_id in enumerate(experiment.runs.values_list("id", flat=True), start=1):
        advance(run_id)
        advance(run_id)
        assert event_kinds().count("run.finished") == number
        assert event_kinds().count("experiment.finished") == (number == 4)


def test_a_server_error_reports_the_run_as_failed_and_ends_its_experiment(hook, launch, event_kinds):
    experiment = launch("pricing-constant")
    Agent.objects.filter(slug="pricing-constant").update(baseline="none-of-ours")
    advance(experiment.runs.get().pk)
    assert event_kinds() == ["run.failed", "experiment.finished"]
    assert body("run.failed")["data"]["run"]["state"] == "errored"
    Agent.objects.filter(slug="pricing-constant").update(baseline="pricing-constant")
    runs_control(runs=experiment.runs.all(), action="retry", user=None)
    advance(experiment.runs.get().pk)
    assert event_kinds()[2:] == ["run.finished", "experiment.finished"]


@pytest.mark.long
def test_a_run_that_stalls_is_reported_as_failed(hook, launch, model_agent, event_kinds):
    with StubProvider(lambda *_: StubAnswer(text="I would rather not.")) as stub:
        run = launch(model_agent(stub).slug).runs.get()
        for _ in range(20):
            Run.objects.update(wake_at=None)
            advance(run.pk)
    run.refresh_from_db()
    assert run.state == RunState.STALLED
    assert event_kinds() == ["run.failed", "experiment.finished"]
    assert body("run.failed")["data"]["run"]["reason"] == run.reason


def test_every_pause_reports_each_run_with_its_reason(hook, launch, event_kinds, alice):
    experiment = launch("random", seeds=(0, 1, 2))
    held = experiment.runs.first()
    fence = lease.take(held.pk)
    assert runs_control(runs=experiment.runs.all(), action="pause", user=alice) == 3
    assert event_kinds() == ["run.paused"] * 2
    lease.release(held.pk, fence, RunState.QUEUED)
    assert event_kinds() == ["run.paused"] * 3
    messages = [json.loads(text)["data"]["run"] for text in Event.objects.values_list("body", flat=True)]
    assert {(m["reason"], m["pause_cause"]) for m in messages} == {("Paused by alice.", "person")}
    assert runs_control(runs=experiment.runs.all(), action="pause", user=alice) == 0
    runs_control(runs=experiment.runs.all(), action="resume", user=alice)
    assert runs_control(runs=experiment.runs.all(), action="pause", user=alice) == 3
    assert event_kinds() == ["run.paused"] * 6


def test_a_budget_is_reported_before_and_when_it_pauses_the_run(hook, launch, model_agent, event_kinds):
    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub, input_price=Decimal(10), output_price=Decimal(10))
        agent.max_tokens = 100
        agent.save()
        experiment = launch(agent.slug)
        experiment_set_budget(experiment=experiment, budget_nano=120_000_000)
        advance(experiment.runs.get().pk)
    assert event_kinds()[-1] == "run.paused"
    assert body("run.paused")["data"]["run"]["pause_cause"] == "budget"
    alerts = [json.loads(e.body)["data"]["budget"] for e in Event.objects.filter(kind="budget.alert")]
    assert alerts and {alert["scope"] for alert in alerts} == {"experiment"}
    assert alerts[0]["threshold"] == 50 and alerts[0]["budget_usd"] == 0.12


def test_budgets_of_members_and_months_are_reported(hook, organization, alice, launch):
    experiment = launch("gpt-5")
    organization_set_budget(organization=organization, budget_nano=1000)
    member_set_budget(membership=organization.memberships.get(), budget_nano=500)
    book(experiment, 450)
    book(experiment, 100)
    alerts = [json.loads(e.body)["data"]["budget"] for e in Event.objects.order_by("created_at")]
    scopes = sorted((alert["scope"], alert["threshold"], alert["percent"]) for alert in alerts)
    assert scopes == [("member", 80, 90), ("member", 100, 110), ("organization", 50, 55)]
    assert all(alert["month"] and alert["url"].endswith("/spend/") for alert in alerts)


def test_cancelling_ends_an_experiment_once_and_reports_no_run(hook, launch, event_kinds, alice):
    experiment = launch("random", seeds=(0, 1))
    advance(experiment.runs.first().pk)
    runs_control(runs=experiment.runs.all(), action="cancel", user=alice)
    assert event_kinds() == ["run.finished", "experiment.finished"]
    assert body("experiment.finished")["data"]["experiment"]["runs"] == {"cancelled": 1, "finished": 1}
    runs_control(runs=experiment.runs.all(), action="cancel", user=alice)
    failed = launch("random", seeds=(2, 3))
    failed.runs.update(state=RunState.STALLED)
    runs_control(runs=failed.runs.all(), action="cancel", user=alice)
    assert len(event_kinds()) == 2, "runs that had failed had ended their experiment"


def test_a_refused_key_pauses_and_reports_each_of_its_runs_once(hook, launch, model_agent, event_kinds):
    with StubProvider(lambda *_: StubAnswer(status=401, error="bad key")) as stub:
        experiment = launch(model_agent(stub).slug, seeds=(0, 1, 2))
        advance(experiment.runs.first().pk)
    assert event_kinds() == ["run.paused"] * 3
    assert Experiment.objects.get().runs.filter(state="paused").count() == 3


def test_a_rolled_back_change_is_never_reported(hook, launch, event_kinds):
    experiment = launch("pricing-constant")
    run = experiment.runs.get()
    with transaction.atomic():
        advance(run.pk)
        assert event_kinds()
        transaction.set_rollback(True)
    assert not event_kinds()
    run.refresh_from_db()
    assert run.state == "queued"


@pytest.mark.long
def test_only_subscribed_events_of_active_webhooks_are_recorded(played, event_kinds, owner, receiver):
    played("random")
    hook, _ = webhook_create(actor=owner, url=receiver.url, events=["experiment.finished"])
    webhook_pause(actor=owner, webhook=hook)
    played("random", seeds=(5,))
    assert event_kinds() == []
    webhook_resume(actor=owner, webhook=hook)
    played("random", seeds=(0, 1))
    assert event_kinds() == ["experiment.finished"]


def test_runs_of_another_organization_are_not_reported(hook, other, launch, event_kinds):
    agent = other.organization.agents.filter(slug="random")
    plan = LaunchPlan(agents=tuple(agent), environments=("pricing",), difficulties=("BASIC",), seeds=(0,), periods=2)
    experiment = experiment_launch(organization=other.organization, user=other.user, plan=plan)
    advance(experiment.runs.get().pk)
    assert experiment.runs.get().state == "finished" and event_kinds() == []


def test_messages_contain_no_key_note_or_transcript(hook, launch, model_agent):
    canary = "CANARY-of-the-agent"

    def script(wire, request, headers):
        answer = ScriptedPlayer()(wire, request, headers)
        return StubAnswer(text=canary, calls=(("write_notes", {"notes": canary}), *answer.calls))

    with StubProvider(script) as stub:
        run = launch(model_agent(stub, key="sk-canary-0123456789").slug, periods=2).runs.get()
        advance(run.pk)
    run.refresh_from_db()
    assert run.state == "finished" and run.notes.filter(text__contains=canary).exists()
    text = "".join(Event.objects.values_list("body", flat=True))
    assert canary not in text and "sk-canary" not in text and hook.secret not in text


def test_a_run_scored_after_its_end_is_not_reported_again(hook, launch, event_kinds, monkeypatch):
    limit_attempts(monkeypatch, 0.0, 100.0)
    solve_here(monkeypatch)
    experiment = launch(CLIMBER, **GAME)
    play_all(experiment)
    prove_all()
    assert experiment.runs.get().score is not None
    assert event_kinds() == ["run.finished", "experiment.finished"]
