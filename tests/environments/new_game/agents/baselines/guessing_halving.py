"""Halving: always the middle of the numbers that remain possible."""

import re

from agents.baselines.base import Baseline, Play

_GUESS = re.compile(r"(\d+) is too (low|high)")


class Halving(Baseline):
    slug = "guessing-halving"
    title = "Halving"
    description = "Guesses the middle of the numbers that remain possible."
    environments = ("guessing",)

    def play(self, period: int) -> Play:
        low, high = 1, int((yield "get_range", {}))
        for guess, answer in _GUESS.findall((yield "get_previous_guesses", {})):
            low, high = (int(guess) + 1, high) if answer == "low" else (low, int(guess) - 1)
        yield "write_notes", {"notes": f"The number lies between {low} and {high}."}
        yield self.act({"number": (low + high) // 2})
