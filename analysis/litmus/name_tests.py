"""Statistics on whether the user's name changes the litmus score, and sentences about them.

They evaluate the name experiment (paper, 6.3 and appendix K). Scores are rates a year; their unit does not matter.
"""

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from environments.patience.cells import NAMES
from games.patience.names_figure import NameScores
from infrastructure.text.formats import DASH, number, percent, signed_points
from stats.means import LEVEL
from stats.paired import holm
from stats.pairwise import Welch, welch

NAME_GROUPS = {"gender": ("female", "male"), "race": ("african_american", "white")}
"""The two groups compared for each attribute of a name. A difference is the first group minus the second."""


@dataclass(frozen=True)
class Effect:
    """The part of the variance that one factor explains.

    share: its part of the total sum of squares (eta squared), None if all scores are equal
    f, p: its F statistic and the probability of a larger one by chance, None if both the factor and the residual
        explain nothing
    df: its degrees of freedom
    """

    share: float | None
    f: float | None
    p: float | None
    df: int


@dataclass(frozen=True)
class TwoWay:
    """A two-way analysis of variance without interaction, with one score per cell."""

    model: Effect
    name: Effect
    residual_df: int


def two_way(scores: NDArray[np.float64]) -> TwoWay:
    """Analyse the variance of scores by model and name. Only names with a score of every model count.

    scores: shape (models, names), NaN where a score could not be identified

    score = grand mean + model + name + residual, so that
    SS_model = names * sum of squared model effects, SS_name = models * sum of squared name effects.
    Raises ValueError for fewer than two models, or fewer than two names with a score of every model.
    """
    complete = scores[:, ~np.isnan(scores).any(axis=0)]
    models, names = complete.shape
    if models < 2 or names < 2:
        raise ValueError("An analysis of variance needs two models and two names with a score of each.")
    grand = complete.mean()
    by_model = complete.mean(axis=1) - grand
    by_name = complete.mean(axis=0) - grand
    residual = complete - grand - by_model[:, None] - by_name[None, :]
    total = float(((complete - grand) ** 2).sum())
    # Rounding errors must not count as variation.
    floor = (1e-12 * float(np.abs(complete).max())) ** 2 * complete.size
    rest, rest_df = float((residual**2).sum()), (models - 1) * (names - 1)
    return TwoWay(
        _effect(names * float((by_model**2).sum()), models - 1, rest, rest_df, total, floor),
        _effect(models * float((by_name**2).sum()), names - 1, rest, rest_df, total, floor),
        rest_df,
    )


def _effect(explained: float, df: int, rest: float, rest_df: int, total: float, floor: float) -> Effect:
    if total <= floor:
        return Effect(None, None, None, df)
    share = explained / total
    if rest <= floor:
        return Effect(share, math.inf, 0.0, df) if explained > floor else Effect(share, None, None, df)
    # scipy.stats doubles the time in which every process starts, so it is imported where it is used.
    from scipy import stats

    f = (explained / df) / (rest / rest_df)
    return Effect(share, f, float(stats.f.sf(f, df, rest_df)), df)


def p_of_shares(model: float, name: float, models: int, names: int) -> float:
    """The p of the names from the shares of the variance that models and names explain, as papers print them."""
    from scipy import stats

    df, rest_df = names - 1, (models - 1) * (names - 1)
    return float(stats.f.sf((name / df) / ((1 - model - name) / rest_df), df, rest_df))


def group_tests(by_name: Mapping[str, float | None]) -> dict[str, Welch | str]:
    """For one model, tests of women's against men's names and of African-American against white names, by attribute.

    by_name: the model's score for each name; names with None, whose score could not be identified, are left out
    Differences are the first group of NAME_GROUPS minus the second.
    """
    return {
        attribute: welch(_scores(by_name, attribute, second), _scores(by_name, attribute, first), "names with a rate")
        for attribute, (first, second) in NAME_GROUPS.items()
    }


def _scores(by_name: Mapping[str, float | None], attribute: str, group: str) -> list[float]:
    scores = (by_name.get(name.text) for name in NAMES if getattr(name, attribute) == group)
    return [score for score in scores if score is not None]


PAIRS = {"gender": ("women's", "men's"), "race": ("African American", "white")}


@dataclass(frozen=True)
class TestLine:
    """A row of the table of tests: what is compared, the effect, the statistic, the p values and the verdict.

    p: of this test alone, None if there is none; adjusted_p: by Holm's method over the tests of the table
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
    """The two-way analysis if there are two agents or more, and the Welch tests of each agent, adjusted together."""
    lines: list[TestLine] = []
    # The conversion to float turns None into NaN.
    table = np.array([[scores.rates.get(name.text) for name in NAMES] for scores in agents], dtype=np.float64)
    # two_way raises ValueError for fewer than two agents, or fewer than two names with a rate of each agent.
    with suppress(ValueError):
        analysis = two_way(table.reshape(len(agents), len(NAMES)))
        lines = [
            _effect_line("Agent, over all names", analysis.model, analysis.residual_df, "Agents differ in patience."),
            _effect_line("Name, over all agents", analysis.name, analysis.residual_df, "Names move the score."),
        ]
    lines += [
        _welch_line(scores.agent, test, *PAIRS[attribute])
        for scores in agents
        for attribute, test in group_tests(scores.rates).items()
    ]
    adjusted = iter(holm([line.p for line in lines if line.p is not None]))
    return [line if line.p is None else replace(line, adjusted_p=next(adjusted)) for line in lines]


def _effect_line(subject: str, effect: Effect, residual: int, yes: str) -> TestLine:
    statistic = DASH if effect.f is None else "∞" if math.isinf(effect.f) else number(effect.f)
    no = "Nothing varies." if effect.p is None else "No sign of an effect."
    of_variance = f"{percent(effect.share)} of the variance"
    return TestLine(subject, of_variance, f"F({effect.df}, {residual}) = {statistic}", effect.p, yes, no)


def _welch_line(agent: str, test: Welch | str, first: str, second: str) -> TestLine:
    subject = f"{agent}: {first} against {second} names"
    if not isinstance(test, Welch):
        return TestLine(subject, no=test)
    return TestLine(
        subject,
        f"{signed_points(test.difference)} points a year",
        f"t({test.degrees:.1f}) = {number(test.t)}",
        test.p,
        f"Less patient with {first if test.difference > 0 else second} names.",
        "No sign of a difference.",
    )
