"""The scripted player plays whole periods through the providers, always the same way."""

from __future__ import annotations

import pytest

from agents.llm import LLM, Request, ToolResult, Turn
from environments.base import Environment
from environments.registry import ENVIRONMENTS, generate
from tests.scripted_player import ScriptedPlayer

PERIODS = 4


def play_period(environment: Environment, llm: LLM) -> tuple[dict, list[str]]:
    """The action taken and the notes written in one period."""
    turns: list[Turn] = []
    notes = []
    for _ in range(5):
        reply = llm.query(
            Request(environment.system_prompt(), environment.initial_prompt(), environment.tools(), tuple(turns))
        )
        results = []
        for call in reply.calls:
            if call.name == environment.action_tool:
                action = environment.parse_action(call.arguments[environment.action_argument])
                environment.step(action)
                return action, notes
            if call.name == "write_notes":
                notes.append(call.arguments["notes"])
                results.append(ToolResult(call.id, call.name, "Noted."))
            else:
                results.append(ToolResult(call.id, call.name, environment.call(call.name)))
        turns.append(Turn(reply, tuple(results), environment.reply_prompt()))
    raise AssertionError("The player never acted.")


def play(environment: str, llm: LLM) -> list[tuple[dict, list[str]]]:
    game = ENVIRONMENTS[environment](generate(environment, "BASIC", 7))
    return [play_period(game, llm) for _ in range(PERIODS)]


@pytest.mark.parametrize("environment", ["procurement", "scheduling", "pricing"])
def test_two_servers_play_the_same_game(serve, environment):
    first, second = serve(script=ScriptedPlayer()), serve(script=ScriptedPlayer())
    played = play(environment, first.llm())
    assert play(environment, second.llm()) == played
    assert first.stub.bodies == second.stub.bodies


@pytest.mark.parametrize("environment", ["procurement", "scheduling", "pricing"])
def test_both_wire_formats_play_the_same_game(serve_anthropic, serve_openai, environment):
    games = [play(environment, serve(script=ScriptedPlayer()).llm()) for serve in (serve_anthropic, serve_openai)]
    assert games[0] == games[1]


@pytest.mark.parametrize("environment", ["procurement", "scheduling", "pricing"])
def test_every_period_has_its_own_action_and_notes(serve_openai, environment):
    provider = serve_openai(script=ScriptedPlayer())
    played = play(environment, provider.llm())
    assert len({str(action) for action, _ in played}) == PERIODS
    assert [notes[0].split(":")[0] for _, notes in played] == [f"Attempt {i}" for i in range(PERIODS)]
    assert provider.stub.count == 2 * PERIODS
