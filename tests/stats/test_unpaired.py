"""Two means over different instances: p and interval, symmetry, samples without a test."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stats.pairwise import welch
from stats.unpaired import unpaired

scores = st.lists(st.floats(0, 1), min_size=6, max_size=30)


@given(scores, scores)
@settings(deadline=None, max_examples=150)
def test_zero_lies_in_the_interval_if_and_only_if_p_is_at_least_5_percent(first, second):
    found = unpaired(first, second)
    if found.p is None or abs(found.p - 0.05) < 1e-4:
        return
    low, high = found.interval
    assert (low <= 0 <= high) == (found.p > 0.05)
    turned = unpaired(second, first)
    assert turned.interval == pytest.approx((-high, -low)) and turned.p == pytest.approx(found.p, abs=1e-5)


def test_it_is_close_to_welchs_test_where_scores_are_far_from_the_bounds():
    rng = np.random.default_rng(2)
    first, second = rng.normal(0.4, 0.05, 36), rng.normal(0.43, 0.08, 36)
    assert unpaired(first, second).p == pytest.approx(welch(first, second, "values").p, rel=0.1)


def test_a_group_that_hardly_varies_has_a_reason_instead_of_a_test():
    rng = np.random.default_rng(3)
    found = unpaired([1.0] * 12, rng.uniform(0, 1, 12))
    assert (found.p, found.interval, found.reason) == (None, None, "all equal")
    assert found.difference < 0
