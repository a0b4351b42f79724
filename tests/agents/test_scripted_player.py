"""The scripted player plays complete periods through the providers in a reproducible way."""

import pytest

from agents.episode import play
from agents.notes import Notes
from environments.registry import ENVIRONMENTS, generate
from tests.scripted_player import ScriptedPlayer

PERIODS = 4


def played(name, llm):
    """The actions taken and the notes written."""
    notes = Notes()
    run = play(ENVIRONMENTS[name](generate(name, "BASIC", 7), periods=PERIODS), lambda *_: llm, {"seat_0": notes})
    return [outcome.action for outcome in run.outcomes], notes.by_period


@pytest.mark.sampled
@pytest.mark.parametrize("environment", ["procurement", "scheduling", "pricing"])
def test_every_server_and_wire_format_plays_the_same_game(serve_anthropic, serve_openai, environment):
    providers = [serve(script=ScriptedPlayer()) for serve in (serve_openai, serve_openai, serve_anthropic)]
    first, second, third = (played(environment, provider.llm()) for provider in providers)
    assert first == second == third
    assert providers[0].stub.bodies == providers[1].stub.bodies
    actions, notes = first
    assert len(set(map(str, actions))) == PERIODS
    assert [texts[0].split(":")[0] for texts in notes.values()] == [f"Attempt {i}" for i in range(PERIODS)]
    assert providers[0].stub.count == 2 * PERIODS
