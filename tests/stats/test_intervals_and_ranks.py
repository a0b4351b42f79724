"""Intervals, tests and ranks that are computed here for speed agree with SciPy and statsmodels."""

import numpy as np
import pytest
from scipy import stats

from stats.intervals import MANY, RESAMPLES, SEED, mean_interval
from stats.paired import holm, sign_flip_p
from stats.ranks import rank_ranges

rng = np.random.default_rng(3)


@pytest.mark.parametrize("n", [5, 6, 12, 36, MANY])
def test_the_bca_interval_is_that_of_scipy(n):
    ties = rng.choice([0.0, 0.2, 0.7, 1.0], n)
    ties[:2] = 0.0, 1.0
    for values in (rng.gamma(1, 1, n), rng.normal(50, 20, n), ties, -ties):
        theirs = stats.bootstrap((values,), np.mean, n_resamples=RESAMPLES, rng=np.random.default_rng(SEED))
        expected = (theirs.confidence_interval.low, theirs.confidence_interval.high)
        assert mean_interval(values) == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_few_and_very_many_values_have_the_interval_of_students_t():
    for n in (2, 4, MANY + 1, 400):
        values = rng.gamma(2, 3, n)
        assert mean_interval(values) == pytest.approx(tuple(stats.ttest_1samp(values, 0).confidence_interval()))


def test_an_interval_has_an_answer_for_every_odd_case():
    assert mean_interval([]) is mean_interval([0.5]) is None
    assert mean_interval([0.1] * 7) == (0.1, 0.1)
    low, high = mean_interval([0.0] * 11 + [1.0])
    assert 0 <= low < high <= 1


def test_the_sign_flip_test_is_scipys_permutation_test():
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
def test_holms_method_is_that_of_statsmodels():
    """Few lists, because statsmodels collects all garbage with each."""
    from statsmodels.stats.multitest import multipletests

    for count in (1, 2, 9, 60):
        p_values = [*rng.random(count) ** 3, *[1e-9, 0.01, 0.01, 0.2, 1.0][: count // 2]]
        assert holm(p_values) == pytest.approx(list(multipletests(p_values, method="holm")[1]), abs=1e-12)
    assert holm([]) == []


def test_a_rank_range_counts_the_rows_that_are_significantly_better_and_worse():
    noise = rng.normal(0, 0.05, (5, 12))
    scores = np.array([[0.9], [0.5], [0.5], [0.1], [0.1]]) + noise
    assert rank_ranges(scores) == [(1, 1), (2, 3), (2, 3), (4, 5), (4, 5)]
    scores[3] = np.nan
    assert rank_ranges(scores)[3] == (1, 5), "a row without an instance in common is not separated"
    assert rank_ranges(np.array([[0.5] * 12, [0.5] * 12])) == [(1, 2), (1, 2)], "equal rows share their ranks"
    assert rank_ranges(np.array([[0.7] * 12, [(0.1 + 0.6) / 1] * 12])) == [(1, 2), (1, 2)], (
        "rounding errors are no difference"
    )
    assert rank_ranges(scores[:2, :5]) == [(1, 2), (1, 2)], "five instances separate nobody"
    assert rank_ranges(np.array([[0.9] * 6, [0.1] * 6])) == [(1, 1), (2, 2)], "equal differences are certain"
    assert rank_ranges(np.empty((0, 3))) == [] and rank_ranges(np.array([[0.5]])) == [(1, 1)]
