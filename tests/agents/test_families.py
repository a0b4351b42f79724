"""A model of every family plays a full episode: thinking is read and sent back, and each token is counted."""

from fractions import Fraction

import pytest

from agents.episode import play
from agents.llm import Request
from agents.loop import MAX_QUERIES, PeriodChat
from agents.notes import Notes
from agents.options import LLMOptions
from agents.providers.client import Client
from environments.registry import ENVIRONMENTS, generate
from tests.emulators.families import FAMILIES, SERVERS
from tests.emulators.model import Usage
from tests.emulators.player import RotePlayer
from tests.emulators.server import Emulator

PROVIDERS = {"anthropic": "anthropic", "openai": "openai"}
DAWDLES = MAX_QUERIES - 1
"""Replies that read something again, so that the last query of the chat has to name the action."""


class Listening:
    """The client of a model, with its replies."""

    def __init__(self, client):
        self.client, self.replies = client, []

    def query(self, request):
        self.replies.append(self.client.query(request))
        return self.replies[-1]


def listening(emulator, key="sk-test-1", **options):
    model = emulator.model
    effort = "high" if model.reasons and model.effort == "none" else ""
    chosen = {"reasoning": model.reasons, "base_url": emulator.base_url, "timeout_seconds": 10.0}
    chosen |= {"reasoning_effort": effort} | options
    return Listening(
        Client(LLMOptions(PROVIDERS.get(model.maker, "openai-compatible"), model.id, **chosen), "sk-test-1")
    )


def nano(model, replies):
    """What the replies cost by their usage and the prices of the model's card."""
    total = Fraction(0)
    for usage in (reply.usage for reply in replies):
        cached, written, thinking = usage.cached_tokens, usage.cache_write_tokens, usage.reasoning_tokens
        fresh, visible = usage.input_tokens - cached - written, usage.output_tokens - thinking
        total += model.prices.nano(Usage(fresh, cached, written, 0, visible, thinking))
    return total


@pytest.mark.parametrize("name", FAMILIES | SERVERS)
def test_a_model_of_each_family_plays_with_thinking_and_exact_costs(name):
    model = (FAMILIES | SERVERS)[name]
    with Emulator(model, RotePlayer(one_by_one=True)) as emulator:
        llm = listening(emulator)
        game = play(ENVIRONMENTS["pricing"](generate("pricing", "BASIC", 0), periods=3), lambda seat, period: llm)
    assert game.finished and emulator.remarks == []
    thinking = [reply.thinking for reply in llm.replies]
    assert all(thinking) if model.reasons else not any(thinking)
    assert nano(model, llm.replies) == emulator.bill.nanodollars
    refused = [received for received in emulator.asked if received.status != 200]
    assert len(refused) <= 3, [received.answer for received in refused]


@pytest.mark.sampled
@pytest.mark.parametrize("name", FAMILIES)
def test_the_last_query_of_a_chat_keeps_every_tool_and_ends_the_period(name):
    model = FAMILIES[name]
    with Emulator(model, RotePlayer(dawdles=DAWDLES)) as emulator:
        llm = listening(emulator)
        game = play(ENVIRONMENTS["pricing"](generate("pricing", "BASIC", 0), periods=1), lambda seat, period: llm)
    assert game.finished and len(llm.replies) == MAX_QUERIES and emulator.remarks == []
    last = emulator.asked[-1].body
    assert len(last["tools"]) == len(emulator.asked[0].body["tools"])
    is_named = "set_prices" in str(last.get("tool_choice"))
    assert is_named is llm.replies[-1].sent.forced
    assert is_named is not ("Only a call of set_prices counts now." in str(last))


@pytest.mark.parametrize("name", ["claude-sonnet-5-5", "claude-haiku-5-5", "gpt-6.2-sol", "gemini-4-argon"])
def test_a_chat_goes_on_after_its_key_was_changed(name):
    """Signed thinking is bound to the account, so the chat goes on without it."""
    with Emulator(FAMILIES[name], RotePlayer(one_by_one=True)) as emulator:
        first, second = listening(emulator), listening(emulator, key="sk-test-2")
        game = ENVIRONMENTS["pricing"](generate("pricing", "BASIC", 0), periods=1)
        chat = PeriodChat(game, Notes())
        for llm in (first, first, *[second] * 20):
            if not chat.finished:
                chat.receive(llm.query(chat.request()))
    assert chat.finished
    assert [reply.sent.without_thinking for reply in first.replies + second.replies].count(True) <= 1


@pytest.mark.parametrize("name", ["claude-opus-5-5", "deepseek-v4-pro"])
def test_a_single_question_returns_its_thinking_and_keeps_no_blocks(name):
    with Emulator(FAMILIES[name]) as emulator:
        reply = listening(emulator).query(Request("", "Which do you prefer? A: $100 now. B: $200 in a year.", ()))
    assert reply.text and reply.thinking and reply.blocks == ()
