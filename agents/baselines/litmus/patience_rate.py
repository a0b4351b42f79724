"""Choices of money now or later by an interest rate, with an adjustable share of random answers."""

import math
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from agents.baselines.base import SurveyBaseline

_NOW = re.compile(r"\b([AB]): receiving \$([\d.]+) right now")
_LATER = re.compile(r"\b([AB]): receiving \$([\d.]+) (\w+) (month|year)s? from today")
_STATED_RATE = re.compile(r"annual interest rate of ([\d.]+)%")
_NUMBERS = {"one": 1, "five": 5, "six": 6}


class PatienceRate(SurveyBaseline):
    """Takes the later amount if it grows by more than a rate, compounded continuously.

    For the offered amount nearest to the amount that its rate demands, it is indifferent and takes the first option. Half
    of the questions have the options in reverse order, so this is balanced. With a strict threshold the measured rate
    could be wrong by up to half a gap between amounts. A rate in the question itself is followed strictly.

    rate: the rate a year as a share, used if the question has no rate
    noise: the share of answers that are random
    """

    slug = "patience-rate"
    title = "Interest rate"
    description = "Takes the later amount where it pays more than 5 % a year, or than the rate that the question names."
    environments = ("patience_vs_impatience",)

    def __init__(self, *args: Any, rate: float = 0.05, noise: float = 0.0):
        super().__init__(*args)
        self.rate = rate
        self.noise = noise

    def answer(self, prompt: str, rng: np.random.Generator) -> str:
        now, later, stated_rate = _NOW.search(prompt), _LATER.search(prompt), _STATED_RATE.search(prompt)
        assert now and later, f"{self.slug} cannot read the question: {prompt[:200]!r}"
        rate = float(stated_rate[1]) / 100 if stated_rate else self.rate
        years = float(_NUMBERS.get(later[3]) or later[3]) / (12 if later[4] == "month" else 1)
        worth = float(now[2]) * math.exp(rate * years)
        letter = later[1] if float(later[2]) > worth else now[1]
        reason = f"At {100 * rate:g} % a year, ${now[2]} now is worth ${worth:.2f} then."
        if not stated_rate and self._is_nearest(float(later[2]), years, worth):
            letter, reason = "A", f"{reason} That is as near as the amounts come, so either will do."
        if rng.random() < self.noise:
            letter, reason = "AB"[int(rng.integers(2))], "I tossed a coin."
        return f"<reasoning>{reason}</reasoning>\n\n<answer>{letter}</answer>"

    def _is_nearest(self, amount: float, years: float, worth: float) -> bool:
        """Whether `amount` is the horizon's amount nearest to `worth`. False if `worth` is outside their range."""
        amounts: list[float] = next(
            (
                horizon["amounts"]
                for horizon in self.instance.parameters["horizons"]
                if math.isclose(horizon["years"], years)
            ),
            [],
        )
        nearest = min(amounts, key=lambda offered: abs(offered - worth), default=math.nan)
        return bool(amounts) and amounts[0] <= worth <= amounts[-1] and math.isclose(nearest, amount)


def patience_rate(rate: float, noise: float = 0.0) -> Callable[..., PatienceRate]:
    """Return a factory of agents with this rate and noise. It is called like the class of a baseline."""
    return partial(PatienceRate, rate=rate, noise=noise)
