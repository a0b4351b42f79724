"""Does the user's name move the litmus score? Statistics of the name-variation experiment (paper, 6.3 and appendix K).

Scores are rates a year; their unit does not matter.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from environments.patience.names import NAMES

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


@dataclass(frozen=True)
class Welch:
    """A comparison of two groups that need not vary equally.

    difference: mean of the first minus mean of the second
    t, df, p: Welch's statistic, its degrees of freedom (Welch-Satterthwaite) and the two-sided probability; None where
        neither group varies
    """

    difference: float
    t: float | None
    df: float | None
    p: float | None


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


def welch(first: Sequence[float], second: Sequence[float]) -> Welch:
    """Welch's t test of two groups. Raises ValueError for fewer than two scores in either."""
    if min(len(first), len(second)) < 2:
        raise ValueError("Each group needs two scores.")
    a, b = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    difference = float(a.mean() - b.mean())
    # The squared standard error of each mean.
    u, v = float(a.var(ddof=1)) / len(a), float(b.var(ddof=1)) / len(b)
    if u + v <= (1e-12 * float(max(np.abs(a).max(), np.abs(b).max()))) ** 2:
        return Welch(difference, None, None, None)
    from scipy import stats

    t = difference / math.sqrt(u + v)
    df = (u + v) ** 2 / (u**2 / (len(a) - 1) + v**2 / (len(b) - 1))
    return Welch(difference, t, df, float(2 * stats.t.sf(abs(t), df)))


def group_tests(by_name: Mapping[str, float | None]) -> dict[str, Welch | None]:
    """For one model, the comparison of women's with men's names and of African-American with white ones.

    by_name: the model's score for each name, None where it could not be identified, which is left out
    Returns None for a comparison with fewer than two scores in a group.
    """
    tests: dict[str, Welch | None] = {}
    for attribute, groups in NAME_GROUPS.items():
        scores: dict[str, list[float]] = {group: [] for group in groups}
        for name in NAMES:
            if (score := by_name.get(name.text)) is not None:
                scores[getattr(name, attribute)].append(score)
        first, second = scores.values()
        tests[attribute] = welch(first, second) if min(len(first), len(second)) > 1 else None
    return tests
