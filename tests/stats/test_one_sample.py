"""A mean against a printed number: agreement with SciPy, p and interval, samples without a test."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from stats.one_sample import one_sample, one_samples
from stats.paired import holm

scores = st.lists(st.floats(0, 1), min_size=6, max_size=40)


def test_values_outside_the_bounds_have_the_t_test_of_scipy():
    values = [-0.3, 0.1, 0.4, 0.2, 0.5, 0.9, 0.7]
    found, expected = one_sample(values, 0.5), stats.ttest_1samp(values, 0.5)
    assert found.p == pytest.approx(expected.pvalue)
    low, high = expected.confidence_interval()
    assert found.interval == pytest.approx((low - 0.5, high - 0.5))


@given(scores, st.floats(0.01, 0.99))
@settings(deadline=None, max_examples=200)
def test_zero_lies_in_the_interval_if_and_only_if_p_is_at_least_5_percent(values, printed):
    found = one_sample(values, printed)
    if found.p is None or abs(found.p - 0.05) < 1e-6:
        return
    low, high = found.interval
    assert (low <= 0 <= high) == (found.p > 0.05)
    assert low <= found.difference <= high


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([0.2, 0.3, 0.4, 0.5, 0.6], "too few"),
        ([1.0] * 12, "all equal"),
        ([1.0] * 10 + [0.7, 0.8], "at a bound"),
    ],
)
def test_a_sample_that_says_too_little_has_a_reason_instead_of_a_test(values, reason):
    found = one_sample(values, 0.5)
    assert (found.reason, found.p, found.interval) == (reason, None, None)
    assert found.difference == pytest.approx(np.mean(values) - 0.5)


def test_the_tests_of_a_table_are_adjusted_together():
    rng = np.random.default_rng(1)
    samples = [(rng.beta(8, 2, 12).tolist(), printed) for printed in (0.5, 0.7, 0.8)] + [([0.5], 0.5)]
    found = one_samples(samples)
    assert [test.adjusted_p for test in found[:3]] == pytest.approx(holm([test.p for test in found[:3]]))
    assert found[3].adjusted_p is None
