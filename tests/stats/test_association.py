"""Correlations: Pearson's r, the permutation test and the interval, against SciPy and by their properties."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stats.lines.association import Association, association, permutation_p

VALUES = st.floats(-100, 100).map(lambda value: round(value, 3))
POINTS = st.lists(st.tuples(VALUES, VALUES), min_size=4, max_size=7).filter(
    lambda points: all(len(set(axis)) > 1 for axis in zip(*points, strict=True))
)


def of(points, **options):
    return association(*map(list, zip(*points, strict=True)), **options)


def draw(n, strength=0.7, seed=1):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n)
    return x.tolist(), (strength * x + rng.normal(size=n)).tolist()


def test_r_and_the_line_are_those_of_scipy():
    x, y = draw(12)
    result = association(x, y)
    assert (result.r, result.line.p, result.n) == (*map(pytest.approx, stats.pearsonr(x, y)), 12)
    assert result.line.r_squared == pytest.approx(result.r**2)
    assert association(x, [-value for value in y]).r == pytest.approx(-result.r)


@pytest.mark.parametrize("n", [5, 7])
def test_p_is_the_share_of_all_orders_with_an_r_at_least_as_large(n):
    x, y = draw(n)
    least = abs(stats.pearsonr(x, y).statistic) - 1e-9
    hits = [abs(np.corrcoef(x, order)[0, 1]) >= least for order in permutations(y)]
    assert permutation_p(x, y) == pytest.approx(np.mean(hits))
    assert association(x, y).exact


def test_p_of_random_orders_is_close_to_that_of_all_and_beyond_a_hundred_points_is_from_students_t():
    x, y = draw(20, 0.4)
    assert permutation_p(x, y) == pytest.approx(stats.pearsonr(x, y).pvalue, abs=0.02)
    assert not association(x, y).exact
    x, y = draw(101, 0.1)
    assert permutation_p(x, y) == pytest.approx(stats.pearsonr(x, y).pvalue)


@settings(max_examples=50, deadline=None)
@given(POINTS, st.randoms())
def test_neither_the_order_of_points_nor_the_axes_nor_units_change_p(points, random):
    x, y = map(list, zip(*points, strict=True))
    mixed = random.sample(points, len(points))
    assert of(mixed).p == of(points).p == permutation_p(y, x)
    assert permutation_p([10 + 2 * value for value in x], y) == pytest.approx(of(points).p)


@settings(max_examples=50, deadline=None)
@given(POINTS.filter(lambda points: len(points) > 4))
def test_an_interval_holds_r_and_contains_zero_where_p_is_not_below_5_percent(points):
    result = of(points)
    if result.interval:
        low, high = result.interval
        assert -1 <= low <= result.r <= high <= 1
        assert result.p < 0.05 or low <= 0 <= high
    else:
        assert result.without.startswith("No interval")


@pytest.mark.parametrize(
    ("x", "y", "options", "words"),
    [
        ([1, 2, 3, 5], [1, 3, 2, 4], {}, "at least 5 points"),
        ([1, 2, 3, 4, 5], [2, 4, 6, 8, 10], {}, "all points lie on one line"),
        ([0, 0, 0, 0, 1, 0], [1, 3, 2, 4, 7, 5], {}, "without one of the points"),
        (*draw(9), {"bounded": False}, "a measure has no bounds"),
    ],
)
def test_a_missing_interval_is_explained_with_a_sentence(x, y, options, words):
    result = association(x, y, **options)
    assert isinstance(result, Association) and result.interval is None and words in result.without


def test_eight_points_of_a_measure_without_bounds_have_an_interval():
    assert association(*draw(8), bounded=False).interval


def test_a_missing_correlation_is_explained_with_a_sentence():
    assert "at least 3" in association([1, 2], [3, 4])
    assert "the same horizontal value" in association([1, 1, 1], [3, 4, 5])
