"""The scripted player plays whole periods through the providers, always the same way."""

import pytest

from agents.llm import Request, ToolResult, Turn
from environments.registry import ENVIRONMENTS, generate
from tests.scripted_player import ScriptedPlayer

PERIODS = 4


def play_period(environment, llm):
    """The action taken and the notes written in one period."""
    turns, notes = [], []
    prompts = environment.system_prompt(), environment.initial_prompt()
    for _ in range(5):
        reply = llm.query(Request(*prompts, environment.tools(), tuple(turns)))
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


def play(environment, llm):
    game = ENVIRONMENTS[environment](generate(environment, "BASIC", 7))
    return [play_period(game, llm) for _ in range(PERIODS)]


@pytest.mark.parametrize("environment", ["procurement", "scheduling", "pricing"])
def test_every_server_and_wire_format_plays_the_same_game_with_own_actions_and_notes(
    serve_anthropic, serve_openai, environment
):
    providers = [serve(script=ScriptedPlayer()) for serve in (serve_openai, serve_openai, serve_anthropic)]
    first, second, third = (play(environment, provider.llm()) for provider in providers)
    assert first == second == third
    assert providers[0].stub.bodies == providers[1].stub.bodies
    assert len({str(action) for action, _ in first}) == PERIODS
    assert [notes[0].split(":")[0] for _, notes in first] == [f"Attempt {i}" for i in range(PERIODS)]
    assert providers[0].stub.count == 2 * PERIODS
