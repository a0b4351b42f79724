"""A maker may answer with another model than requested. The run pauses, and a person decides."""

from dataclasses import replace

import pytest

from runs.catalog import is_served_by_its_maker
from runs.engine.advance import advance
from runs.models import Exchange, Run, RunState
from runs.selectors.state_words import state_words
from runs.services import runs_control
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider

REASON = (
    "other-9 answered although house-1 was asked: the maker replaces it. Resume the run to go on with the model that "
    "answered, or cancel it and launch an agent whose model is still served."
)


@pytest.fixture
def at_maker(monkeypatch):
    """The stub's address counts as the maker's own."""
    monkeypatch.setattr("runs.engine.journal.is_served_by_its_maker", lambda provider, base_url: True)


@pytest.fixture
def replacing(launch, model_agent):
    """A run of house-1 for two periods, and its stub, whose model changes with `answering`."""
    player = ScriptedPlayer()
    with StubProvider(lambda *request: replace(player(*request), model=stub.answering)) as stub:
        stub.answering = "other-9"
        yield launch(model_agent(stub).slug, periods=2).runs.get(), stub


def advanced(run):
    Run.objects.update(wake_at=None)
    advance(run.pk)
    run.refresh_from_db()
    return run


def resume(run, alice):
    assert runs_control(runs=Run.objects.filter(pk=run.pk), action="resume", user=alice) == 1


def test_the_first_reply_of_another_model_is_stored_and_pauses_the_run(at_maker, replacing):
    run, stub = replacing
    assert (advanced(run).state, run.reason) == (RunState.PAUSED, REASON)
    assert state_words(run.state, run.pause_cause, run.reason) == "Paused: another model answered"
    exchange = Exchange.objects.get()
    assert (exchange.state, exchange.reply["model"], stub.count) == ("replied", "other-9", 1)


def test_resuming_accepts_only_the_model_that_answered(at_maker, replacing, alice):
    run, stub = replacing
    advanced(run)
    stub.answering = "third-1"
    resume(run, alice)
    assert advanced(run).state == RunState.PAUSED and run.reason.startswith(
        "third-1 answered although house-1 was asked"
    )
    resume(run, alice)
    assert advanced(run).state == RunState.FINISHED
    assert Exchange.objects.count() == stub.count == run.queries
    assert run.conditions["seat_0"]["accepted"] == ["other-9", "third-1"]
    assert "third-1" in run.conditions_key


def test_a_kill_before_the_pause_accepts_no_other_model(at_maker, replacing, monkeypatch):
    run, stub = replacing
    with monkeypatch.context() as killed:
        killed.setattr("runs.engine.advance.lease.release", lambda *_, **__: None)
        advance(run.pk)
    Run.objects.update(state=RunState.QUEUED, lease_owner="", lease_until=None)
    assert (advanced(run).state, run.reason, stub.count) == (RunState.PAUSED, REASON, 1)


def test_a_gateway_may_answer_under_another_model_name(replacing):
    run, _ = replacing
    assert advanced(run).state == RunState.FINISHED
    assert run.conditions["seat_0"]["model"] == "other-9"


def test_a_snapshot_of_the_requested_model_does_not_pause_the_run(at_maker, replacing):
    run, stub = replacing
    stub.answering = "house-1-2026-01-31"
    assert advanced(run).state == RunState.FINISHED


@pytest.mark.parametrize(
    ("provider", "base_url", "is_own"),
    [
        ("openai", "", True),
        ("anthropic", "", True),
        ("openai", "https://eu.api.openai.com/v1", True),
        ("openai-compatible", "https://generativelanguage.googleapis.com/v1beta/openai", True),
        ("openai-compatible", "https://openrouter.ai/api/v1", False),
        ("openai-compatible", "https://lab.openai.azure.com/openai/v1", False),
        ("anthropic", "http://127.0.0.1:4000", False),
    ],
)
def test_addresses_of_makers_are_recognised(provider, base_url, is_own):
    assert is_served_by_its_maker(provider, base_url) == is_own
