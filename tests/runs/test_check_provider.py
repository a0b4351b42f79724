"""check_provider tests our assumptions about the interface of a provider within a budget."""

import json
from decimal import Decimal

import pytest
from django.core.management import call_command
from django.db.models import Sum

from accounts.services import endpoint_create
from runs.models import Agent, JobCall, MonthlySpend, Run
from runs.services import agent_create, organization_set_budget
from tests.emulators.families import FAMILIES, SERVERS
from tests.emulators.gateways import GATEWAYS, KEY, LLAMA_CPP_WITHOUT_FLAG, GatewayEmulator
from tests.emulators.player import Play, RotePlayer
from tests.emulators.server import Emulator

pytestmark = pytest.mark.long

PROVIDERS = {"anthropic": "anthropic", "openai": "openai"}
NANO = 10**9
NAMED = "With all tools offered, a call of one can be demanded in the last query, or the refusal is understood."
FORCED = "A call of any tool can be demanded, or the refusal is understood."


class Summing(RotePlayer):
    """Plays the game and answers the question of the checks."""

    def __call__(self, view):
        if "report_sum" not in view.tools:
            return super().__call__(view)
        asked_first = view.forced == "report_sum" or view.results or view.tools == ("report_sum",)
        calls = (("report_sum", {"sum": 42}),) if asked_first else (("get_numbers", {}),)
        return Play("I look.", calls, "Two numbers have a sum.")


class Reluctant(Summing):
    """Answers the question by a call only if that is demanded."""

    def __call__(self, view):
        if "report_sum" in view.tools and not view.forced:
            return Play("I would rather talk.", thinking="Two numbers have a sum.")
        return super().__call__(view)


@pytest.fixture
def checked(organization, capsys):
    """Checks an emulated model; returns the printed JSON, the exit code and the emulator."""

    def check(model, budget="100", player=None, fault=None, gateway=None):
        player = player or Summing()
        served = GatewayEmulator(gateway, player) if gateway else Emulator(model, player)
        with served as emulator:
            emulator.fault = fault
            endpoint = endpoint_create(
                organization=organization,
                name="emulator",
                provider=PROVIDERS.get(model.maker, "openai-compatible"),
                base_url=emulator.base_url,
                key=KEY,
            )
            # Agents have no price of writing to the cache, so input costs as much.
            prices = {"input_price": model.prices.written, "output_price": model.prices.output}
            agent = agent_create(
                organization=organization,
                name="house",
                endpoint=endpoint,
                model=model.id,
                **{name: Decimal(str(float(price))) for name, price in prices.items()},
                reasoning=model.reasons,
            )
            code = 0
            try:
                call_command("check_provider", agent.slug, "--budget", budget, "--json")
            except SystemExit as exit:
                code = exit.code
        return json.loads(capsys.readouterr().out), code, emulator

    return check


def statements(printed, verdict):
    return {row["statement"]: row["words"] for row in printed["statements"] if row["verdict"] == verdict}


UNSIGNED = "Broken signatures are refused in words that are understood, or ignored."
NOT_TRIED = {
    "gpt-4.1-2025-04-14": {
        "Thinking comes as text in a field that is read.",
        "Thinking goes back in the field in which it came and is accepted.",
        UNSIGNED,
    },
    "vllm": {UNSIGNED},
}
"""By model; of the others everything is tried."""


@pytest.mark.parametrize("name", ["gpt-4.1-2025-04-14", "gpt-6.2-sol", "claude-opus-5-5", "openrouter", "vllm"])
def test_every_testable_statement_holds_and_the_cost_is_booked(name, checked):
    printed, code, emulator = checked((FAMILIES | SERVERS)[name])
    assert code == 0 and statements(printed, "not held") == {}
    assert set(statements(printed, "not tried")) == NOT_TRIED.get(name, set())
    booked = JobCall.objects.aggregate(cost=Sum("cost_nano"))["cost"]
    assert booked == MonthlySpend.objects.get(user=None).cost_nano == round(printed["cost_usd"] * NANO)
    assert emulator.bill.nanodollars <= booked < 100 * NANO
    assert not JobCall.objects.filter(state="sent").exists() and not Run.objects.exists()


@pytest.mark.long
@pytest.mark.parametrize("name", FAMILIES)
def test_every_statement_holds_for_every_family(name, checked):
    printed, code, emulator = checked(FAMILIES[name])
    assert code == 0 and statements(printed, "not held") == {}


def test_observed_refusals_are_stored_with_the_agent(checked):
    printed, _, _ = checked(FAMILIES["claude-opus-5-5"])
    assert Agent.objects.get(name="house").learned["refused"] == ["tool_choice"]
    assert printed["learned"][0] == "The provider refuses a forced call of a tool."
    said = "Refused: tool_choice forces tool use is not compatible with this model"
    assert statements(printed, "held")[FORCED] == said


@pytest.mark.parametrize("budget", ["0.01", "0.30", "0.35"])
def test_a_check_stays_within_its_budget_and_skips_tests_that_do_not_fit(budget, checked):
    printed, code, emulator = checked(FAMILIES["claude-opus-5-5"], budget)
    assert code == 0 and emulator.bill.nanodollars <= printed["cost_usd"] * NANO <= float(budget) * NANO
    reasons = statements(printed, "not tried")
    assert any("of the budget is left" in reason for reason in reasons.values())
    assert bool(emulator.requests) == (budget != "0.01")


def test_a_spent_monthly_budget_ends_the_check(organization, checked):
    organization_set_budget(organization=organization, budget_nano=NANO // 100)
    printed, code, emulator = checked(FAMILIES["claude-opus-5-5"])
    assert code == 0 and emulator.requests == [] and "The organization's month" in str(printed)


def test_a_failed_statement_sets_the_exit_code_and_quotes_the_model(checked):
    printed, code, _ = checked(FAMILIES["gpt-4.1-2025-04-14"], player=lambda view: Play("No tools for me."))
    assert code == 1
    said = statements(printed, "not held")
    assert said["2 periods of pricing are played."].startswith("No valid action in period 0")
    assert said[FORCED].startswith("It answered with text: 'No tools for me.'")


def test_a_gateway_that_ignores_forced_calls_is_reported_with_a_quotation(checked):
    gateway = GATEWAYS["ollama"]
    printed, code, _ = checked(gateway.models[0], player=Reluctant(), gateway=gateway)
    said = statements(printed, "not held")
    assert code == 1 and set(said) == {FORCED, NAMED}
    assert all(words.startswith("It answered with text: 'I would rather talk.'") for words in said.values())


def test_a_missing_server_flag_is_reported_and_ends_the_check(checked):
    printed, code, emulator = checked(LLAMA_CPP_WITHOUT_FLAG.models[0], gateway=LLAMA_CPP_WITHOUT_FLAG)
    assert code == 1 and len(emulator.asked) == 1
    assert list(statements(printed, "not held").values()) == [
        "The server calls tools only if it is started with --jinja."
    ]
    assert set(statements(printed, "not tried").values()) == {"No query of the periods was answered."}


def test_an_interrupted_call_is_booked_at_its_maximum(checked):
    def fault(number, body):
        return (200, {"unread": 1}) if number > 4 else None

    printed, _, emulator = checked(FAMILIES["gpt-4.1-2025-04-14"], "3", fault=fault)
    lost = JobCall.objects.filter(state="unknown")
    assert lost and all(call.cost_nano == call.most_nano for call in lost)
    assert printed["cost_usd"] <= 3 and "a body that holds no reply" in str(statements(printed, "not tried"))


def test_agents_without_a_provider_or_a_price_are_refused(organization, capsys):
    for slug, reason in (("random", "is a baseline"), ("nobody", "There is no agent")):
        with pytest.raises(SystemExit) as exit:
            call_command("check_provider", slug, "--budget", "1")
        assert exit.value.code == 2 and reason in capsys.readouterr().err
    Agent.objects.filter(slug="gpt-5").update(input_price=None)
    with pytest.raises(SystemExit):
        call_command("check_provider", "gpt-5", "--budget", "1")
    assert "No price is known for GPT-5" in capsys.readouterr().err
