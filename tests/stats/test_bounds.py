"""Bounds of means with missing scores."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.bounds import mean_bounds
from stats.summaries import summary

shares = st.floats(0, 1)


def test_missing_scores_count_at_their_worst_and_at_their_best():
    assert mean_bounds([0.5, 0.7], [0.2, 0.0]) == pytest.approx((0.35, 0.8))
    assert mean_bounds([0.5], [-0.5]) == pytest.approx((0.0, 0.75)), "a score can be negative"
    assert mean_bounds([], [0.0]) == (0, 1), "nothing is known"
    assert mean_bounds([0.5], []) is None is summary([0.5], of=1).bounds


@given(
    scores=st.lists(shares, min_size=1, max_size=12),
    missing=st.lists(st.tuples(shares, shares), min_size=1, max_size=9),
)
def test_whatever_the_missing_runs_would_have_scored_the_mean_is_within_the_bounds(scores, missing):
    worst, true = [min(pair) for pair in missing], [max(pair) for pair in missing]
    low, high = mean_bounds(scores, worst)
    assert low - 1e-12 <= sum(scores + true) / len(scores + true) <= high + 1e-12
