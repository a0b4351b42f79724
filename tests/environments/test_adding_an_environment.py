"""Adding an environment is a folder and two lines, as CONTRIBUTING.md says: here a small game does it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agents.episode import play
from agents.options import LLMOptions
from agents.scripted import ScriptedLLM, calls
from environments.base import SINGLE_SEAT, Environment, Instance, Outcome, Score, ToolError
from environments.generation import Generation, Setting
from environments.literals import parse_flat_dict
from environments.prompts import PromptSet
from environments.registry import ENVIRONMENTS, GENERATION, generate

PROMPTS = {
    "system.txt": "Guess the number.",
    "initial.txt": "Guess now.",
    "reply.txt": "Use a tool.",
    "tools.json": json.dumps(
        [
            {"name": "get_past", "description": "Past guesses.", "input_schema": {"type": "object", "properties": {}}},
            {
                "name": "guess",
                "description": "Guess.",
                "input_schema": {
                    "type": "object",
                    "properties": {"number": {"type": "string"}},
                    "required": ["number"],
                },
            },
        ]
    ),
}


class Guessing(Environment):
    name = "guessing"
    title = "Guessing"
    action_tool = "guess"
    action_argument = "number"
    history_tool = "get_past"

    def call(self, name: str, seat: str = SINGLE_SEAT) -> str:
        if name != "get_past":
            raise ToolError(f"There is no tool called {name}.")
        return "\n".join(map(self.feedback, self.outcomes)) or "Nothing yet."

    def parse_action(self, raw: object, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        guess = parse_flat_dict(raw, "number").get("guess")
        if not isinstance(guess, int):
            raise ToolError("The guess must be a whole number.")
        return {"guess": guess}

    def step(self, action: dict[str, Any]) -> Outcome:
        right = action["guess"] == self.instance.hidden["number"]
        outcome = Outcome(self.period, action, {"right": right}, float(right), ended=right)
        self._append(outcome)
        return outcome

    def feedback(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> str:
        return f"{outcome.action['guess']}: {'right' if outcome.result['right'] else 'wrong'}"

    @classmethod
    def score(cls, instance: Instance, outcomes: Sequence[Outcome], periods: int = 100, variant: str = "main") -> Score:
        return Score(float(outcomes[-1].result["right"]) if outcomes else None)

    @classmethod
    def metrics(cls, instance: Instance, outcomes: Sequence[Outcome], periods: int = 100) -> dict[str, Any]:
        return {"guesses": len(outcomes)}


@pytest.fixture
def guessing(tmp_path: Path):
    for name, text in PROMPTS.items():
        (tmp_path / name).write_text(text)
    Guessing.prompt_set = PromptSet(tmp_path)
    ENVIRONMENTS["guessing"] = Guessing
    GENERATION["guessing"] = Generation(
        difficulties={"BASIC": {"highest": 10}},
        settings=(Setting("highest", "Highest number", 1, 1000),),
        build=lambda settings, seed, generator: ({}, {"number": seed % settings["highest"]}),
        reference=lambda instance: {},
    )
    yield
    del ENVIRONMENTS["guessing"], GENERATION["guessing"]


def test_a_new_environment_is_generated_played_and_scored_like_its_siblings(guessing):
    instance = generate("guessing", "BASIC", 3)
    guesses = iter([calls(("get_past", {}), ("guess", {"number": f"{{'guess': {n}}}"})) for n in (1, 2, 3)])
    llm = ScriptedLLM(guesses)
    game = play(Guessing(instance), lambda seat, period: llm)
    assert game.finished
    assert [outcome.result["right"] for outcome in game.outcomes] == [False, False, True]
    assert game.score(instance, game.outcomes).value == 1.0
    assert llm.requests[0].system == "Guess the number."


def test_a_new_environment_is_estimated_though_no_random_action_is_known_for_it(guessing):
    from runs.estimating.dry import Game, Length, dry_run, game_length

    game = Game("guessing", "BASIC", 0, "published", "", "main", False)
    assert game_length(game, None) == Length(100, (SINGLE_SEAT,), True)
    volume = dry_run(game, 100, SINGLE_SEAT, LLMOptions("openai", "any")).together
    assert volume.calls == 200
    assert volume.input_tokens > 200 * 50
