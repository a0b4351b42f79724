"""Runs by the service tier flex: the same option everywhere, and half the price if the tier answered."""

from decimal import Decimal

import pytest

from agents.llm import Reply, Sent, Usage
from agents.options import FLEX_SECONDS
from agents.providers.makers import OpenAI
from infrastructure import limiter
from pages.dashboard.selectors.runs.page import request_lines
from runs.engine.advance import advance
from runs.engine.calls import set_reply
from runs.engine.journal import llm_of
from runs.engine.slots import take_slot
from runs.estimating.estimates import estimate
from runs.launching.again import plan_as_command
from runs.launching.plan import LaunchError
from runs.launching.request import read_launch, request_as_plan, written_launch
from runs.models import Agent, Exchange, ExchangeState, PauseCause, Run, RunState
from tests.cast import LAUNCH_FORM
from tests.emulators.families import FAMILIES
from tests.emulators.model import Model
from tests.emulators.player import RotePlayer
from tests.emulators.server import Emulator
from tests.emulators.troubles import openai_error
from tests.runs.batched import OPENAI, SOL, agent_at_own_address

PATIENCE = {"environments": ("patience_vs_impatience",), "difficulties": ("STANDARD",)}
FORM = LAUNCH_FORM | {"environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0", "agents": ["gpt-4-1"]}
WITHOUT_FLEX = (("auto", 1), ("default", 1))


@pytest.fixture
def flexible(organization, launch, monkeypatch):
    """Launch a run by flex at an emulated OpenAI; changes are those of the model's card."""
    emulators = []

    def start(model=SOL, fault=None, **changes):
        card = Model(**vars(FAMILIES[model]) | changes)
        emulators.append(emulator := Emulator(card, RotePlayer()))
        emulator.fault = fault
        monkeypatch.setattr(OpenAI, "own_url", emulator.base_url)
        agent = agent_at_own_address(organization, emulator, reasoning=card.reasons)
        return launch(agent.slug, periods=2, flex=True).runs.get(), emulator

    yield start
    for emulator in emulators:
        emulator.close()


def work(run):
    """A worker takes the run, as soon as it is due."""
    Run.objects.update(wake_at=None)
    advance(run.pk)
    return Run.objects.select_related("agent__endpoint").get(pk=run.pk)


@pytest.mark.parametrize("model", [SOL, OPENAI])
def test_a_flex_run_is_booked_at_half_the_price_on_both_apis(flexible, model):
    run, emulator = flexible(model)
    run = work(run)
    assert run.is_finished
    assert {received.body["service_tier"] for received in emulator.asked} == {"flex"}
    wire = {SOL: "responses", OPENAI: "chat"}[model]
    sent = run.conditions["seat_0"]
    assert (sent["wire"], sent["service_tier"], sent["tier"]) == (wire, "flex", "flex")
    assert "service tier flex" in request_lines(run)[0]
    # Each call is rounded up to a billionth.
    bill = emulator.bill.nanodollars
    assert 0 < bill <= run.cost_nano <= bill + run.queries
    usual = sum(emulator.model.prices.nano(charge.usage) for charge in emulator.bill.charges)
    assert bill * 2 == usual
    assert (run.thinking_nano > 0) is (model == SOL)


def test_a_flex_call_has_fifteen_minutes_and_reserves_its_full_price(flexible):
    run, emulator = flexible()
    assert llm_of(run, "seat_0").options.timeout_seconds == FLEX_SECONDS == 900
    assert run.config["flex"] and run.config["player"]["service_tier"] == "flex"
    work(run)
    assert all(call.reserved_nano > 2000 * emulator.model.prices.output * 1000 for call in Exchange.objects.all())


@pytest.mark.parametrize(
    ("asked", "answered", "cents"),
    [("flex", "flex", 30), ("flex", "default", 60), ("flex", "", 60), ("", "flex", 60), ("flex", "priority", 60)],
)
def test_the_full_price_is_booked_unless_flex_was_requested_and_confirmed(asked, answered, cents):
    agent = Agent(input_price=Decimal(2), output_price=Decimal(10))
    usage = Usage(100_000, output_tokens=40_000, reasoning_tokens=20_000)
    set_reply(call := Exchange(), agent, Reply(usage=usage, tier=answered, sent=Sent(service_tier=asked)))
    assert (call.cost_nano, call.thinking_nano) == (cents * 10_000_000, cents * 10_000_000 // 3)


def test_a_run_records_that_another_tier_answered(flexible):
    run, _ = flexible()
    run.conditions = {"seat_0": {"wire": "chat", "service_tier": "flex", "tier": "default"}}
    assert request_lines(run) == ["Asked by Chat Completions, service tier default, flex asked for"]


def test_a_call_refused_for_capacity_is_retried_without_lowering_our_rate(flexible):
    full = openai_error("Resource Unavailable")
    run, emulator = flexible(fault=lambda number, body: (429, full) if number == 1 else None)
    run = work(run)
    assert run.state == RunState.WAITING
    assert run.reason.startswith("The provider has no room for calls by flex (status 429): Resource Unavailable")
    call = Exchange.objects.get()
    assert (call.state, call.cost_nano, run.reserved_nano) == (ExchangeState.FAILED, 0, 0)
    take_slot(run.agent.endpoint, run.agent, 1).done(limiter.CallResult.OK)
    assert work(run).is_finished and emulator.asked[0].status == 429


@pytest.mark.parametrize("model", [SOL, OPENAI])
def test_a_model_without_flex_pauses_the_run_at_no_cost(flexible, model):
    run, emulator = flexible(model, tiers=WITHOUT_FLEX)
    run = work(run)
    assert (run.state, run.pause_cause, run.cost_nano) == (RunState.PAUSED, PauseCause.REQUEST, 0)
    assert run.reason == f"{model} has no service tier 'flex'. Cancel the run and launch it without it."
    assert len(emulator.asked) == 1 and emulator.bill.charges == []
    assert "service_tier" not in str(run.agent.learned)


@pytest.mark.parametrize(
    ("slugs", "options", "sentence"),
    [
        (("random",), {}, "Only models are asked by flex, and none is chosen."),
        (("gpt-4-1",), PATIENCE | {"batch": True}, "A batch is at half the price already; choose one of the two."),
        (
            ("gpt-4-1", "claude-4-5-opus"),
            {},
            "{} is not asked by flex: its endpoint is not OpenAI's own.",
        ),
    ],
)
def test_flex_needs_a_model_at_the_own_address_of_openai(plan, agent, slugs, options, sentence):
    with pytest.raises(LaunchError) as error:
        plan(*slugs, flex=True, **options)
    assert error.value.errors == {"flex": sentence.format(agent(slugs[-1]).name)}


def test_flex_needs_a_suitable_rival_and_agents_without_a_service_tier(plan, agent):
    with pytest.raises(LaunchError, match="is not asked by flex"):
        plan("gpt-4-1", flex=True, rival=agent("claude-4-5-opus"))
    Agent.objects.filter(slug="gpt-4-1").update(extra_parameters={"service_tier": "priority"})
    with pytest.raises(LaunchError, match="names a service_tier among its extra parameters"):
        plan("gpt-4-1", flex=True)


def test_the_flex_option_survives_a_round_trip_through_a_file(plan, organization):
    launched = plan("gpt-4-1", flex=True)
    assert plan_as_command(launched).endswith("--agent gpt-4-1 --flex")
    body = read_launch(written_launch(launched.as_spec()).encode())
    assert body.flex and request_as_plan(body, organization).as_spec() == launched.as_spec()
    assert "flex" not in written_launch(plan("gpt-4-1").as_spec())


def test_a_flex_estimate_has_both_prices(plan, organization):
    usual = estimate(plan("gpt-4-1"), organization)
    halved = estimate(plan("gpt-4-1", flex=True), organization)
    assert usual.cost_nano == usual.by_call_nano == halved.by_call_nano
    assert halved.cost_nano == halved.by_flex_nano == usual.by_flex_nano == usual.cost_nano.times(0.5)
    assert halved.as_json()["cost_usd_by_flex"] == halved.as_json()["cost_usd"]
    other = estimate(plan("claude-4-5-opus"), organization)
    assert other.by_flex_nano is None and other.by_call_nano is None


def test_the_form_offers_flex_and_its_price(page, organization):
    assert "By flex: half price, slower" in page.get("/experiments/new/").text
    assert "by flex" in page.post("/experiments/new/preview/", FORM).text
    assert "--flex" in page.post("/experiments/new/preview/", FORM | {"flex": "on"}).text
    page.post("/experiments/new/", FORM | {"flex": "on"})
    experiment = organization.experiments.get()
    assert experiment.spec["flex"] is True and experiment.runs.get().config["flex"] is True


def test_the_form_offers_flex_only_with_a_suitable_model(page, organization):
    Agent.objects.filter(organization=organization, provider="openai").update(archived_at="2025-01-01T00:00Z")
    assert "By flex" not in page.get("/experiments/new/").text
