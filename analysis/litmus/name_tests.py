"""What the statistics of the name experiment say, in plain words."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from analysis.figures.names import NameScores
from analysis.litmus.names import Effect, group_tests, two_way
from environments.patience.names import NAMES
from infrastructure.text.formats import number, percent, probability, signed_points
from stats.pairwise import Welch

SIGNIFICANT = 0.05
PAIRS = {"gender": ("women's", "men's"), "race": ("African American", "white")}


@dataclass(frozen=True)
class TestLine:
    """One test: what is compared, its effect, its statistic, its p value and what that means."""

    subject: str
    effect: str
    statistic: str
    p: str
    verdict: str


def test_lines(agents: Sequence[NameScores]) -> list[TestLine]:
    """The two-way analysis over all agents, where there are two, and the Welch tests of each."""
    lines: list[TestLine] = []
    # None becomes NaN.
    table = np.array([[scores.rates.get(name.text) for name in NAMES] for scores in agents], dtype=np.float64)
    # Fewer than two agents, or names with a rate of each agent.
    with suppress(ValueError):
        found = two_way(table.reshape(len(agents), len(NAMES)))
        lines = [
            _effect_line("Agent, over all names", found.model, found.residual_df, "Agents differ in patience."),
            _effect_line("Name, over all agents", found.name, found.residual_df, "Names move the score."),
        ]
    for scores in agents:
        for attribute, test in group_tests(scores.rates).items():
            first, second = PAIRS[attribute]
            lines.append(_welch_line(f"{scores.agent}: {first} against {second} names", test, first, second))
    return lines


def _effect_line(subject: str, effect: Effect, residual: int, yes: str) -> TestLine:
    statistic = "–" if effect.f is None else "∞" if math.isinf(effect.f) else number(effect.f)
    verdict = "Nothing varies." if effect.p is None else yes if effect.p < SIGNIFICANT else "No sign of an effect."
    share = f"{percent(effect.share)} of the variance"
    return TestLine(subject, share, f"F({effect.df}, {residual}) = {statistic}", probability(effect.p), verdict)


def _welch_line(subject: str, test: Welch | str, first: str, second: str) -> TestLine:
    if not isinstance(test, Welch):
        return TestLine(subject, "–", "–", "–", test)
    effect = f"{signed_points(test.difference)} points a year"
    higher = first if test.difference > 0 else second
    verdict = f"Less patient with {higher} names." if test.p < SIGNIFICANT else "No sign of a difference."
    return TestLine(subject, effect, f"t({test.degrees:.1f}) = {number(test.t)}", probability(test.p), verdict)
