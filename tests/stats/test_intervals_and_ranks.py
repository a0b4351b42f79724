"""Intervals, tests and ranks implemented here for speed agree with SciPy and statsmodels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stats.means import (
    BCA_FROM,
    EXACT,
    INTERVAL_FROM,
    LEVEL,
    MANY,
    RESAMPLES,
    SEED,
    flip_interval,
    mean_interval,
    sign_flip_p,
)
from stats.paired import holm
from stats.ranks import rank_ranges, separations

rng = np.random.default_rng(3)


@pytest.mark.parametrize("n", [BCA_FROM, 36, MANY])
def test_scores_with_half_at_a_bound_have_the_bca_interval_of_scipy(n):
    half = np.where(np.arange(n) % 2, 1.0, rng.random(n))
    for values in (half, 1 - half, rng.permutation([0.0] * (n - 1) + [1.0])):
        theirs = stats.bootstrap((values,), np.mean, n_resamples=RESAMPLES, rng=np.random.default_rng(SEED))
        expected = (theirs.confidence_interval.low, theirs.confidence_interval.high)
        assert mean_interval(values) == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert mean_interval(half[: BCA_FROM - 2]) is None, "too few cover too seldom"


@pytest.mark.parametrize("n", [INTERVAL_FROM, 8, 12])
def test_intervals_of_scores_near_a_bound_cover_the_mean_within_the_bounds(n):
    drawn = np.random.default_rng(n).beta(8, 1, (1_000, n))
    for scores, true in ((drawn, 8 / 9), (1 - drawn, 1 / 9)):
        lows, highs = np.array([mean_interval(row) for row in scores]).T
        assert np.mean((lows <= true) & (true <= highs)) >= 0.93
        assert lows.min() >= 0 and highs.max() <= 1


def test_other_bounded_scores_have_the_wider_of_two_intervals_of_students_t():
    scores = np.array([0.99, 0.95, 0.9, 0.98, 0.6, 0.97])
    low, high = stats.ttest_1samp(scores, 0).confidence_interval()
    assert mean_interval(scores) == pytest.approx((0.61301, 1.0), abs=1e-5)
    assert low == pytest.approx(0.74134, abs=1e-4) and high > 1
    even = np.array([0.45, 0.5, 0.55, 0.48, 0.52, 0.5])
    assert mean_interval(even) == pytest.approx(tuple(stats.ttest_1samp(even, 0).confidence_interval()), abs=1e-4)


def test_unbounded_values_have_the_interval_of_students_t():
    for n in (INTERVAL_FROM, 12, MANY, MANY + 1, 400):
        values = rng.gamma(2, 3, n)
        assert mean_interval(values) == pytest.approx(tuple(stats.ttest_1samp(values, 0).confidence_interval()))


def test_few_or_equal_values_have_no_interval():
    assert mean_interval([]) is mean_interval([0.1, 0.2, 0.3, 0.4, 0.5]) is mean_interval([0.1] * 7) is None


@pytest.mark.parametrize("n", [6, 9, EXACT])
def test_the_flip_interval_contains_what_the_sign_flip_test_does_not_reject(n):
    for d in (rng.normal(1, 3, n), np.round(rng.normal(1, 1, n)), rng.standard_t(2, n)):
        low, high = flip_interval(d)
        inside, outside = 1e-6 * (high - low or 1.0), 1e-6 * (1 + abs(low) + abs(high))
        assert all(sign_flip_p(d - mean) >= LEVEL for mean in (low + inside, (low + high) / 2, high - inside))
        assert all(sign_flip_p(d - mean) < LEVEL for mean in (low - outside, high + outside))


@settings(max_examples=40, deadline=None)
@given(
    d=st.lists(st.sampled_from([-2.0, -1.0, 0.0, 0.5, 3.0]) | st.floats(-9, 9), min_size=6, max_size=40),
    seed=st.integers(0, 9),
)
def test_the_flip_interval_ignores_order_and_mirrors_with_the_sign(d, seed):
    low, high = flip_interval(d)
    shuffled = np.random.default_rng(seed).permutation(d)
    assert flip_interval(shuffled) == (low, high) and flip_interval(-shuffled) == (-high, -low)
    assert low - 1e-9 <= np.mean(d) <= high + 1e-9
    assert low <= 0 <= high or sign_flip_p(d) < LEVEL


def test_few_differences_have_no_interval_and_very_many_use_students_t():
    assert flip_interval([1.0, 2.0, 3.0, 4.0, 5.0]) is None
    many = rng.normal(1, 2, MANY + 20)
    assert flip_interval(many) == pytest.approx(tuple(stats.ttest_1samp(many, 0).confidence_interval()))


def test_the_sign_flip_test_agrees_with_the_permutation_test_of_scipy():
    for n in (2, 6, 12):
        d = rng.normal(1, 2, n)
        theirs = stats.permutation_test((d,), np.mean, permutation_type="samples", n_resamples=2**n).pvalue
        assert sign_flip_p(d) == pytest.approx(theirs)
    for n in (30, MANY):
        d = rng.normal(0.3, 1, n)
        assert sign_flip_p(d) == pytest.approx(stats.ttest_1samp(d, 0).pvalue, abs=0.02)
    d = rng.normal(0.1, 1, MANY + 1)
    assert sign_flip_p(d) == pytest.approx(stats.ttest_1samp(d, 0).pvalue)


@pytest.mark.long
def test_the_holm_method_agrees_with_statsmodels():
    """Few lists, because statsmodels collects all garbage with each."""
    from statsmodels.stats.multitest import multipletests

    for count in (1, 2, 9, 60):
        p_values = [*rng.random(count) ** 3, *[1e-9, 0.01, 0.01, 0.2, 1.0][: count // 2]]
        assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-12)
    assert holm([]) == []


def ranges(scores):
    return rank_ranges(separations(scores))


def test_a_rank_range_counts_significantly_better_and_worse_rows():
    noise = rng.normal(0, 0.05, (5, 12))
    scores = np.array([[0.9], [0.5], [0.5], [0.1], [0.1]]) + noise
    assert ranges(scores) == [(1, 1), (2, 3), (2, 3), (4, 5), (4, 5)]
    scores[3] = np.nan
    assert ranges(scores)[3] == (1, 5), "a row without an instance in common is not separated"
    assert ranges(np.array([[0.5] * 12, [0.5] * 12])) == [(1, 2), (1, 2)], "equal rows share their ranks"
    assert ranges(np.array([[0.7] * 12, [(0.1 + 0.6) / 1] * 12])) == [(1, 2), (1, 2)], (
        "rounding errors are no difference"
    )
    assert ranges(scores[:2, :5]) == [(1, 2), (1, 2)], "five instances separate nobody"
    assert ranges(np.array([[0.9] * 6, [0.1] * 6])) == [(1, 1), (2, 2)], "equal differences are certain"
    assert ranges(np.empty((0, 3))) == [] and ranges(np.array([[0.5]])) == [(1, 1)]


def test_few_differences_that_are_alike_by_chance_separate_no_long_table():
    """The t test of equal differences has a p of 0. The smallest p of all flips of six signs is 2 / 64."""
    two = np.array([[0.9] * 6, [0.1] * 6])
    assert ranges(two) == [(1, 1), (2, 2)]
    assert set(ranges(np.vstack([two, [[0.5] * 6]]))) == {(1, 3)}


def test_a_row_is_ranked_among_its_peers():
    is_better = separations(np.array([[0.9] * 12, [0.5] * 12, [0.1] * 12]))
    peers = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]], dtype=bool)
    assert rank_ranges(is_better, peers) == [(1, 1), (2, 2), (2, 2)]
