"""Halving: always the middle of the numbers that remain possible."""

import re

from agents.baselines.base import Baseline, Choice

_GUESS = re.compile(r"(\d+) is too (low|high)")


class Halving(Baseline):
    slug = "guessing-halving"
    title = "Halving"
    description = "Guesses the middle of the numbers that remain possible."
    environments = ("guessing",)

    def choose(self, period: int) -> Choice:
        low, high = 1, int((yield "get_range", {}))
        for guess, answer in _GUESS.findall((yield "get_previous_guesses", {})):
            low, high = (int(guess) + 1, high) if answer == "low" else (low, int(guess) - 1)
        return {"number": (low + high) // 2}, f"The number lies between {low} and {high}."
