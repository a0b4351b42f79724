"""What the statistics of the name experiment say, in plain words."""

import math
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from analysis.litmus.names import Effect, group_tests, two_way
from environments.patience.cells import NAMES
from games.patience.names_figure import NameScores
from infrastructure.text.formats import DASH, number, percent, signed_points
from stats.means import LEVEL
from stats.paired import holm
from stats.pairwise import Welch

PAIRS = {"gender": ("women's", "men's"), "race": ("African American", "white")}


@dataclass(frozen=True)
class TestLine:
    """One test: what is compared, its effect, its statistic, its p values and what they mean.

    p: of this test alone, None where there is none; adjusted_p: by Holm's method over the tests of the table
    yes, no: the verdict if the adjusted p is below LEVEL, and if it is not
    """

    subject: str
    effect: str = DASH
    statistic: str = DASH
    p: float | None = None
    yes: str = ""
    no: str = ""
    adjusted_p: float | None = None

    @property
    def verdict(self) -> str:
        return self.yes if self.adjusted_p is not None and self.adjusted_p < LEVEL else self.no


def test_lines(agents: Sequence[NameScores]) -> list[TestLine]:
    """The two-way analysis over all agents, where there are two, and the Welch tests of each; adjusted together."""
    lines: list[TestLine] = []
    # None becomes NaN.
    table = np.array([[scores.rates.get(name.text) for name in NAMES] for scores in agents], dtype=np.float64)
    # Fewer than two agents, or names with a rate of each agent.
    with suppress(ValueError):
        analysis = two_way(table.reshape(len(agents), len(NAMES)))
        lines = [
            _effect_line("Agent, over all names", analysis.model, analysis.residual_df, "Agents differ in patience."),
            _effect_line("Name, over all agents", analysis.name, analysis.residual_df, "Names move the score."),
        ]
    for scores in agents:
        for attribute, test in group_tests(scores.rates).items():
            first, second = PAIRS[attribute]
            lines.append(_welch_line(f"{scores.agent}: {first} against {second} names", test, first, second))
    adjusted = iter(holm([line.p for line in lines if line.p is not None]))
    return [line if line.p is None else replace(line, adjusted_p=next(adjusted)) for line in lines]


def _effect_line(subject: str, effect: Effect, residual: int, yes: str) -> TestLine:
    statistic = DASH if effect.f is None else "∞" if math.isinf(effect.f) else number(effect.f)
    no = "Nothing varies." if effect.p is None else "No sign of an effect."
    share = f"{percent(effect.share)} of the variance"
    return TestLine(subject, share, f"F({effect.df}, {residual}) = {statistic}", effect.p, yes, no)


def _welch_line(subject: str, test: Welch | str, first: str, second: str) -> TestLine:
    if not isinstance(test, Welch):
        return TestLine(subject, no=test)
    effect = f"{signed_points(test.difference)} points a year"
    higher = first if test.difference > 0 else second
    yes, no = f"Less patient with {higher} names.", "No sign of a difference."
    return TestLine(subject, effect, f"t({test.degrees:.1f}) = {number(test.t)}", test.p, yes, no)
