"""Intervals of litmus, competency and reliability that hold together, and of means of two groups."""

import math

import numpy as np
import pytest
from scipy import stats

from stats.joint import TOGETHER, means_interval, spread_interval
from stats.means import mean_interval

rng = np.random.default_rng(4)
MIDDLE = [0.42, 0.5, 0.55, 0.48, 0.52, 0.5, 0.47]


def test_one_group_has_the_interval_of_its_mean():
    assert means_interval([MIDDLE]) == pytest.approx(mean_interval(MIDDLE))
    near = [0.99, 0.95, 0.9, 0.98, 0.6, 0.97]
    assert means_interval([near]) == pytest.approx(mean_interval(near))


def test_two_groups_have_the_degrees_of_freedom_of_welch():
    first, second = rng.normal(5, 1, 8), rng.normal(3, 4, 20)
    low, high = means_interval([first.tolist(), second.tolist()])
    ends = stats.ttest_ind(first, -second, equal_var=False).confidence_interval()
    assert (low, high) == pytest.approx((ends.low / 2, ends.high / 2))


def test_an_interval_of_means_needs_six_values_in_each_group_that_are_not_at_a_bound():
    assert means_interval([]) is means_interval([MIDDLE, MIDDLE[:5]]) is means_interval([[0.5] * 6]) is None
    assert means_interval([MIDDLE, [1.0, 1.0, 1.0, 0.9, 0.8, 0.7]]) is None
    low, high = means_interval([MIDDLE, [0.9] * 6])
    assert low < (np.mean(MIDDLE) + 0.9) / 2 < high, "one group may be constant"


def test_intervals_that_hold_together_are_wider():
    low, high = means_interval([MIDDLE])
    wide_low, wide_high = means_interval([MIDDLE], TOGETHER)
    assert wide_low < low < high < wide_high


def test_the_interval_of_a_spread_holds_that_of_normal_values():
    low, high = spread_interval(MIDDLE)
    freedom, spread = len(MIDDLE) - 1, float(np.std(MIDDLE, ddof=1))
    tails = stats.chi2.ppf([1 - TOGETHER / 2, TOGETHER / 2], freedom)
    narrow = spread * np.sqrt(freedom / tails)
    assert low <= narrow[0] + 1e-12 and high >= narrow[1] - 1e-12 and math.isfinite(high)
    assert spread_interval([*MIDDLE, 1.0]) is spread_interval(MIDDLE[:5]) is spread_interval([0.5] * 7) is None
    assert spread_interval([0.5] * 7 + [0.6]) is None, "without one value it would be 0"
