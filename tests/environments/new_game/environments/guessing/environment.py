"""Guessing as a game: the tools of the agent, the effect of a guess, the score of a run."""

from pathlib import Path
from typing import Any

from environments.actions import check_keys, parse_flat_dict
from environments.base import PERIODS, SINGLE_SEAT, Environment, Getters, Instance, Outcome, Outcomes, ToolError
from environments.declarations import Score, ScoreFormat, Variant
from environments.guessing.economics import answer, closeness
from environments.prompts.sets import PromptSet


class Guessing(Environment):
    name = "guessing"
    title = "Guessing"
    score_meaning = "100 means that the last guess was right."
    action_tool = "submit_guess"
    action_argument = "guess"
    history_tool = "get_previous_guesses"
    prompt_set = PromptSet(Path(__file__).parent / "prompts")
    variants = {
        "main": Variant("the number is hidden", score=ScoreFormat("Closeness", "1 is right")),
        "hurried": Variant("told to hurry", label="in a hurry", first_seeds=1),
    }

    def getters(self, seat: str) -> Getters:
        return {
            "get_range": lambda: str(self.instance.parameters["highest"]),
            "get_attempt_number": lambda: str(self.period),
        }

    def parse_action(self, raw: object, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        given = parse_flat_dict(raw, self.action_argument)
        check_keys(given, ["number"], "field", "number")
        guess, highest = given.get("number"), self.instance.parameters["highest"]
        if isinstance(guess, bool) or not isinstance(guess, int) or not 1 <= guess <= highest:
            raise ToolError(f"The guess must be a whole number from 1 to {highest}.")
        return {"number": guess}

    def step(self, action: dict[str, Any]) -> Outcome:
        guess, number = action["number"], self.instance.hidden["number"]
        quality = closeness(guess, number, self.instance.parameters["highest"])
        return self._record_outcome(action, {"answer": answer(guess, number)}, quality, ended=guess == number)

    def observed(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> dict[str, Any]:
        return {"period": outcome.period, "number": outcome.action["number"], "answer": outcome.result["answer"]}

    def feedback(self, outcome: Outcome, seat: str = SINGLE_SEAT) -> str:
        return f"Attempt {outcome.period}: {outcome.action['number']} is {outcome.result['answer']}."

    @classmethod
    def score(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS, variant: str = "main") -> Score:
        """Closeness of the last guess."""
        if not outcomes:
            return Score(None, note="No number was guessed.")
        return Score(outcomes[-1].quality, solved=outcomes[-1].ended)

    @classmethod
    def metrics(cls, instance: Instance, outcomes: Outcomes, periods: int = PERIODS) -> dict[str, Any]:
        return {"guess_by_period": [outcome.action["number"] for outcome in outcomes]}
