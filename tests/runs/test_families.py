"""Runs of a model of each family: stored conditions, chats that survive their worker, and different efforts."""

from dataclasses import replace
from datetime import date

import pytest

from accounts.services import endpoint_create
from runs.models import Agent, Exchange, Run
from runs.retirement import launch_error, retirement_of
from runs.services import agent_create, agent_test_connection
from runs.services.agents import agents_at_efforts
from runs.transcripts import period_transcripts
from tests.cast import play_all
from tests.emulators.families import FAMILIES, SERVERS
from tests.emulators.player import Play, RotePlayer
from tests.emulators.server import Emulator

PRICES = {"input_price": 2, "output_price": 10, "cached_price": 1}


@pytest.fixture
def emulated(organization):
    """An agent whose model is emulated."""

    def create(emulator, **options):
        model = emulator.model
        provider = model.maker if model.maker in ("anthropic", "openai") else "openai-compatible"
        endpoint = endpoint_create(
            organization=organization,
            name=model.maker,
            provider=provider,
            base_url=emulator.base_url,
            key="sk-test-key-0001",
        )
        chosen = {"name": model.id, "reasoning": model.reasons} | PRICES | options
        return agent_create(organization=organization, endpoint=endpoint, model=model.id, **chosen)

    return create


@pytest.mark.parametrize("name", ["gpt-6.2-sol", "claude-sonnet-5-5", "deepseek-v4-pro"])
def test_a_run_stores_its_conditions_and_drops_data_needed_only_by_the_chat(emulated, launch, name):
    with Emulator(FAMILIES[name], RotePlayer(one_by_one=True)) as emulator:
        agent = emulated(emulator, reasoning_effort="high")
        run = launch(agent.slug, periods=2).runs.get()
        play_all(run.experiment)
    run.refresh_from_db()
    assert run.state == "finished"
    asked = run.conditions["seat_0"]
    assert (asked["effort"], asked["model"]) == ("high", emulator.model.responds_as or name)
    assert asked["forced"] is (emulator.model.forced == "yes")
    assert asked["wire"] == {"openai": "responses", "anthropic": "messages"}.get(emulator.model.maker, "chat")
    replies = Exchange.objects.filter(run=run, state="replied").values_list("reply", flat=True)
    assert all(reply["thinking"] and reply["sent"]["effort"] == "high" for reply in replies)
    assert not any(reply["blocks"] for reply in replies)
    agent.refresh_from_db()
    assert agent.learned


def test_agents_at_two_efforts_send_different_efforts(emulated, launch):
    with Emulator(FAMILIES["claude-opus-5-5"]) as emulator:
        first = emulated(emulator, name="Opus")
        made = agents_at_efforts(agent=first, efforts=["low", "max", "low"])
        assert [agent.name for agent in made] == ["Opus (low)", "Opus (max)"]
        assert agents_at_efforts(agent=first, efforts=["max"]) == []
        experiment = launch(*(agent.slug for agent in made), periods=1)
        play_all(experiment)
    efforts = {run.agent.name: run.conditions["seat_0"]["effort"] for run in experiment.runs.all()}
    assert efforts == {"Opus (low)": "low", "Opus (max)": "max"}
    sent = {received.body.get("output_config", {}).get("effort") for received in emulator.asked}
    assert sent == {"low", "max"} and Agent.objects.get(name="Opus").reasoning_effort == ""


def test_a_run_with_an_effort_dropped_by_an_earlier_version_sends_no_effort(emulated, launch):
    with Emulator(FAMILIES["gpt-5.4"]) as emulator:
        run = launch(emulated(emulator, reasoning_effort="medium").slug, periods=1).runs.get()
        begun = {"wire": "chat", "dropped_effort": "medium"}
        Run.objects.update(conditions={"seat_0": begun})
        play_all(run.experiment)
    run.refresh_from_db()
    assert run.state == "finished" and run.conditions["seat_0"].items() > begun.items()
    assert not any("reasoning_effort" in received.body for received in emulator.asked)


def test_a_refused_effort_pauses_the_run_and_lists_the_accepted_efforts(emulated, launch):
    with Emulator(FAMILIES["gpt-6.2-sol"]) as emulator:
        run = launch(emulated(emulator, reasoning_effort="minimal").slug, periods=1).runs.get()
        play_all(run.experiment)
    run.refresh_from_db()
    assert (run.state, run.pause_cause, run.cost_nano) == ("paused", "request", 0)
    assert "does not take the reasoning effort 'minimal'. It takes" in run.reason


@pytest.mark.parametrize("name", ["claude-opus-5-5", "gpt-6.2-sol", "mistral-large-4", "no-system-role", "DeepSeek"])
def test_a_connection_test_plays_two_turns_of_each_family_and_reads_its_card(emulated, name):
    model = (FAMILIES | SERVERS).get(name, FAMILIES["deepseek-v4-pro"])
    with Emulator(replace(model, shutdown_date="2027-01-14"), RotePlayer()) as emulator:
        emulator.player = lambda view: SUM if view.results or view.forced == "report_sum" else NUMBERS
        agent = emulated(emulator)
        found = agent_test_connection(agent=agent)
    assert found.ok, found
    agent.refresh_from_db()
    assert len([received for received in emulator.asked if received.status == 200]) == 2
    if model.maker in ("anthropic", "openai"):
        assert "Its maker retires the model on 2027-01-14." in found.advice
        assert retirement_of(agent, date(2026, 12, 1)).warns and retirement_of(agent, date(2027, 1, 14)).is_retired
        assert launch_error(agent) == ""
    if model.maker == "anthropic":
        assert agent.learned["efforts"] == ["low", "medium", "high", "xhigh", "max"]
        assert (agent.learned["most_input"], agent.learned["most_output"]) == (model.max_input, model.max_output)


NUMBERS = Play(calls=(("get_numbers", {}),))
SUM = Play(calls=(("report_sum", {"sum": 42}),))


def test_a_connection_test_detects_a_refused_second_call(emulated):
    with Emulator(FAMILIES["GLM-5.3"]) as emulator:
        emulator.player = lambda view: SUM if view.results else NUMBERS
        emulator.fault = lambda number, body: (400, {"error": {"message": "No."}}) if number > 1 else None
        found = agent_test_connection(agent=emulated(emulator))
    assert not found.ok and found.details["calls"] == [{"name": "get_numbers", "arguments": {}, "raw": ""}]


def test_a_transcript_holds_the_texts_sent_after_each_reply(emulated, launch):
    """The model cannot be forced to call a tool, so its first reply is followed by a request for a call."""
    with Emulator(FAMILIES["claude-opus-5-5"], RotePlayer(one_by_one=True, silent=1)) as emulator:
        run = launch(emulated(emulator).slug, periods=1).runs.get()
        play_all(run.experiment)
    *shown, _ = (exchange.next_prompt for exchange in period_transcripts(run, 0)["seat_0"].exchanges)
    users = [message for message in emulator.asked[-1].body["messages"] if message["role"] == "user"]
    assert shown == [message["content"][-1]["text"] for message in users[1:]]
    assert shown[0].endswith("\n\nAnswer by calling one of the tools.") and "Answer by" not in shown[1]
