"""Times to an optimal action: shares, medians and restricted means, with runs that never took one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stats.means import mean_interval
from stats.times import median_time, reached_by, restricted, restricted_interval, weights_of

LENGTH = 20
times = st.lists(st.integers(0, LENGTH), min_size=1, max_size=40).map(np.array)


@given(times)
def test_the_mean_of_restricted_times_is_the_area_above_the_curve_of_shares(times):
    """The restricted mean is the area under the survival curve up to the length (Irwin 1949)."""
    shares = reached_by(times, np.ones(len(times)), LENGTH)
    assert shares[0] == 0 and np.all(np.diff(shares) >= 0) and shares[-1] == pytest.approx((times > 0).mean())
    assert restricted(times, LENGTH).mean() == pytest.approx((1 - shares[:-1]).sum())


@given(times)
def test_by_the_median_half_of_the_runs_had_an_optimal_action_and_not_a_period_earlier(times):
    shares, median = reached_by(times, np.ones(len(times)), LENGTH), median_time(times, np.ones(len(times)), LENGTH)
    if median is None:
        assert shares[-1] < 0.5
    else:
        assert shares[median] >= 0.5 > shares[median - 1]


def test_runs_that_never_took_an_optimal_action_count_as_the_length():
    times = np.array([3, 0, 5, 0])
    assert restricted(times, LENGTH).tolist() == [3, 20, 5, 20]
    assert median_time(times, np.ones(4), LENGTH) == 5
    assert median_time(np.array([3, 0, 0]), np.ones(3), LENGTH) is None


def test_copies_of_runs_on_an_instance_change_neither_shares_nor_the_median():
    times, instances = np.array([3, 0, 5, 12]), np.array([1, 2, 3, 4])
    copied, copies = np.append(times, [0, 0, 0]), np.append(instances, [2, 2, 2])
    weights = weights_of(copies)
    assert reached_by(copied, weights, LENGTH) == pytest.approx(reached_by(times, np.ones(4), LENGTH))
    assert median_time(copied, weights, LENGTH) == median_time(times, np.ones(4), LENGTH) == 5


def test_the_interval_is_that_of_a_mean_of_shares_of_the_length_and_needs_six_values():
    values = [3.0, 8, 20, 5, 11, 20, 9]
    low, high = mean_interval([value / LENGTH for value in values])
    assert restricted_interval(values, LENGTH) == pytest.approx((low * LENGTH, high * LENGTH))
    assert restricted_interval(values[:5], LENGTH) is None
