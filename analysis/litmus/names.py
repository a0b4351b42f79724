"""Does the user's name move the litmus score? Statistics of the name-variation experiment (paper, 6.3 and appendix K).

Scores are rates a year; their unit does not matter.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from environments.patience.cells import NAMES
from stats.pairwise import Welch, welch

NAME_GROUPS = {"gender": ("female", "male"), "race": ("african_american", "white")}
"""For each attribute of a name the two groups compared, the first minus the second."""


@dataclass(frozen=True)
class Effect:
    """What one factor explains.

    share: its part of the total sum of squares (eta squared), None where scores do not vary at all
    f, p: its F statistic and the probability of a larger one by chance, None where both it and the rest explain nothing
    df: its degrees of freedom
    """

    share: float | None
    f: float | None
    p: float | None
    df: int


@dataclass(frozen=True)
class TwoWay:
    """A two-way analysis of variance without interaction, one score a cell."""

    model: Effect
    name: Effect
    residual_df: int


def two_way(scores: NDArray[np.float64]) -> TwoWay:
    """Model x name analysis of variance of (models, names) scores, NaN where a score could not be identified.

    Only names with a score of every model count.

    score = grand mean + model + name + residual, so that
    SS_model = names * sum of squared model effects, SS_name = models * sum of squared name effects.
    Raises ValueError for fewer than two models or two names with a score of every model.
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
    # Rounding alone must not pass for variation.
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


def group_tests(by_name: Mapping[str, float | None]) -> dict[str, Welch | str]:
    """For one model, the tests of women's against men's names and of African-American against white ones, by attribute.

    by_name: the model's score for each name, None where it could not be identified, which is left out
    Differences are the first group of NAME_GROUPS minus the second.
    """
    tests: dict[str, Welch | str] = {}
    for attribute, groups in NAME_GROUPS.items():
        scores: dict[str, list[float]] = {group: [] for group in groups}
        for name in NAMES:
            if (score := by_name.get(name.text)) is not None:
                scores[getattr(name, attribute)].append(score)
        first, second = scores.values()
        tests[attribute] = welch(second, first, "names with a rate")
    return tests
