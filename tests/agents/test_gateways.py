"""Each gateway of docs/gateways.md plays with its documented settings, and its quirks are handled."""

from pathlib import Path

import pytest

from agents.episode import play
from agents.errors import ProviderFatal, ProviderRetry
from agents.options import LLMOptions
from agents.providers.client import Client
from environments.registry import ENVIRONMENTS, generate
from tests.agents.conftest import request_of
from tests.emulators.gateways import GATEWAYS, KEY, LLAMA_CPP_WITHOUT_FLAG, OVER_BUDGET, GatewayEmulator
from tests.emulators.player import RotePlayer
from tests.emulators.troubles import ODD_SERVERS

pytestmark = pytest.mark.long

GUIDE = Path(__file__).resolve().parents[2] / "docs" / "gateways.md"


def connected(emulator, *, key=KEY, headers=(), path=None, **options):
    gateway = emulator.gateway
    base_url = emulator.base_url if path is None else f"{emulator.url}{path}"
    chosen = {"model": emulator.model.id, "reasoning": gateway.reasoning, "timeout_seconds": 10.0} | options
    used = key if gateway.key_headers else ""
    return Client(LLMOptions(gateway.provider, base_url=base_url, **chosen), used, headers=headers)


def failure(client, kind):
    with pytest.raises(kind) as caught:
        client.query(request_of())
    return caught.value


FORCES_NOTHING = {"refused": ["tool_choice"]}
LEARNED = {
    "openrouter": FORCES_NOTHING,
    "litellm": {"wire": "responses"},
    "azure": {"wire": "responses"},
    "bedrock-runtime": {"wire": "responses"},
    "foundry-claude": FORCES_NOTHING,
    "bedrock-claude": FORCES_NOTHING,
}
"""What the gateways' models refuse; the others take everything."""


@pytest.mark.parametrize("name", GATEWAYS)
def test_a_model_behind_each_gateway_plays_and_its_thinking_makes_the_round_trip(name):
    with GatewayEmulator(GATEWAYS[name], RotePlayer(one_by_one=True)) as emulator:
        client, replies = connected(emulator), []

        class Listening:
            def query(self, request):
                replies.append(client.query(request))
                return replies[-1]

        game = play(
            ENVIRONMENTS["pricing"](generate("pricing", "BASIC", 0), periods=2), lambda seat, period: Listening()
        )
    learned = {
        part: list(value) if isinstance(value, tuple) else value for part, value in client.learned.as_json().items()
    }
    assert game.finished and emulator.remarks == [] and learned == LEARNED.get(name, {})
    assert all(reply.thinking and reply.usage.input_tokens for reply in replies)


@pytest.mark.parametrize("name", GATEWAYS)
def test_the_guide_has_the_address_and_the_model_id(name):
    text = GUIDE.read_text()
    assert f"`{GATEWAYS[name].address}`" in text and f"`{GATEWAYS[name].models[0].id}`" in text


def test_azure_takes_its_key_as_a_header_of_its_own():
    with GatewayEmulator(GATEWAYS["azure"]) as emulator:
        assert connected(emulator, key="", headers=(("api-key", KEY),)).query(request_of()).calls
        refused = failure(connected(emulator, key="wrong-key-123"), ProviderFatal)
        assert refused.kind == "key" and "Access denied" in refused.reason
        missing = failure(connected(emulator, model="gpt-6.2-sol"), ProviderFatal)
        assert missing.kind == "model" and "deployment for this resource does not exist" in missing.reason
        assert failure(connected(emulator, path="/openai/deployments"), ProviderFatal).kind == "model"


def test_a_wrong_bedrock_route_is_reported_by_name():
    with GatewayEmulator(GATEWAYS["bedrock-mantle"]) as emulator:
        refused = failure(connected(emulator, path="/openai/v1"), ProviderFatal)
    assert "isn't supported on this route" in refused.reason


def test_an_older_claude_on_bedrock_uses_the_older_api_version():
    with GatewayEmulator(GATEWAYS["bedrock-claude"]) as emulator:
        older = connected(emulator, model="anthropic.claude-opus-4-6")
        # This model is not in the routes of newer ones, so every route serves it.
        assert older.query(request_of()).calls and older.learned.refused == ("version",)


@pytest.mark.parametrize("status", [400, 429])
def test_a_spent_budget_of_litellm_pauses_for_credit(status):
    with GatewayEmulator(GATEWAYS["litellm"]) as emulator:
        emulator.fault = lambda number, body: (status, OVER_BUDGET[1])
        refused = failure(connected(emulator), ProviderFatal)
    assert refused.kind == "credit" and "Budget has been exceeded" in refused.reason


def test_an_error_of_openrouter_with_status_200_counts_as_its_code():
    trouble = next(trouble for trouble in ODD_SERVERS if trouble.id == "rate-with-200")
    with GatewayEmulator(GATEWAYS["openrouter"]) as emulator:
        emulator.fault = lambda number, body: trouble.answer
        assert failure(connected(emulator), ProviderRetry).limited


def test_a_reply_of_ollama_without_the_required_call_is_accepted():
    with GatewayEmulator(GATEWAYS["ollama"], RotePlayer(silent=1)) as emulator:
        client = connected(emulator)
        reply = client.query(request_of())
    assert not reply.calls and reply.text and client.learned.refused == ()


def test_a_missing_server_flag_is_reported_and_drops_no_parameter():
    with GatewayEmulator(LLAMA_CPP_WITHOUT_FLAG) as emulator:
        client = connected(emulator)
        refused = failure(client, ProviderFatal)
    assert (refused.kind, refused.reason) == ("request", "The server calls tools only if it is started with --jinja.")
    assert len(emulator.asked) == 1 and client.learned.as_json() == {}
