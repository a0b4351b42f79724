"""Effect sizes in standard deviations."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stats.effects import effect, without_each
from stats.means import LEVEL, sign_flip_p

FIRST = [0.5, 0.6, 0.7, 0.5, 0.3, 0.6]
SECOND = [0.6, 0.8, 0.75, 0.7, 0.2, 0.9]
scores = st.lists(st.tuples(*[st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(0, 1)] * 2), min_size=6, max_size=20)


def test_an_effect_is_the_mean_difference_in_standard_deviations_with_hedges_correction():
    found, d = effect(FIRST, SECOND), np.subtract(SECOND, FIRST)
    correction = 1 - 3 / 19
    assert found.of_differences == pytest.approx(correction * d.mean() / d.std(ddof=1))
    of_scores = math.sqrt((np.var(FIRST, ddof=1) + np.var(SECOND, ddof=1)) / 2)
    assert found.of_scores == pytest.approx(correction * d.mean() / of_scores)


def test_the_interval_holds_that_of_a_normal_distribution():
    d = np.subtract(SECOND, FIRST)
    t = stats.ttest_1samp(d, 0).statistic
    for end, level in zip(effect(FIRST, SECOND).interval, (0.975, 0.025), strict=True):
        noncentral = end * math.sqrt(6)
        assert (stats.nct.cdf(t, 5, noncentral) - level) * (level - 0.5) >= 0, "at least as far out"


def test_few_instances_and_differences_that_hardly_vary_have_no_effect_size():
    assert effect(FIRST[:5], SECOND[:5]) is None
    assert effect([0.5] * 8, [0.7] * 8) is None, "it would be infinite"
    assert effect([0.5] * 8, [0.5] * 7 + [0.9]) is None, "without one instance it would be"


@given(pairs=scores)
def test_an_effect_mirrors_with_the_agents_ignores_the_scale_and_agrees_with_the_test(pairs):
    first, second = map(list, zip(*pairs, strict=True))
    found, mirrored = effect(first, second), effect(second, first)
    assert (found is None) == (mirrored is None)
    if found is None:
        return
    low, high = found.interval
    assert math.isfinite(low) and math.isfinite(high)
    assert low - 1e-9 <= found.of_differences <= high + 1e-9
    assert mirrored.interval == pytest.approx((-high, -low), rel=1e-6, abs=1e-9)
    p = sign_flip_p(np.subtract(second, first))
    assert low <= 0 <= high or p < LEVEL
    scaled = effect([100 * score for score in first], [100 * score for score in second])
    assert scaled is None or scaled.of_differences == pytest.approx(found.of_differences)


def test_without_each_value_gives_what_numpy_gives():
    means, spreads = without_each(np.array(FIRST))
    rest = [np.delete(FIRST, index) for index in range(len(FIRST))]
    assert means == pytest.approx([x.mean() for x in rest]) and spreads == pytest.approx([x.std(ddof=1) for x in rest])
