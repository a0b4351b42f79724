"""How many periods runs took to an event that some of them never reached. Pure functions over numbers.

A time is a period, counted from 1; 0 means that the run never reached the event. All runs have the same length and were
followed to its end, so nothing is censored earlier: shares of runs equal the Kaplan-Meier estimate, and the restricted mean
(Irwin 1949; Royston and Parmar 2013, BMC Med Res Methodol 13) is a plain mean.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stats.means import ROUNDING, Interval, mean_interval

Floats = NDArray[np.float64]
Times = NDArray[np.int64]


def restricted(times: Times, length: int) -> Floats:
    """The times in periods, with `length` for runs that never reached the event, in the shape of `times`."""
    return np.where(times == 0, length, times).astype(np.float64)


def weights_of(instances: Times) -> Floats:
    """The weight of each run, with which every instance counts once. instances: the instance of each run"""
    _, index, counts = np.unique(instances, return_inverse=True, return_counts=True)
    return np.asarray(1 / counts[index])


def reached_by(times: Times, weights: Floats, length: int) -> Floats:
    """The share of runs that had reached the event by each period from 0 to `length`, (length + 1,). Needs a run."""
    reached = times > 0
    counts = np.bincount(times[reached], weights[reached], length + 1)[: length + 1]
    return np.asarray(np.cumsum(counts) / weights.sum())


def median_time(times: Times, weights: Floats, length: int) -> int | None:
    """The first period by which at least half of the runs had reached the event; None if fewer than half ever did."""
    by_then = np.flatnonzero(reached_by(times, weights, length) >= 0.5 - ROUNDING)
    return int(by_then[0]) if len(by_then) else None


def restricted_interval(values: Sequence[float] | Floats, length: int) -> Interval | None:
    """95 % interval of the mean of restricted times, in periods; see `mean_interval`, for shares of `length`."""
    ends = mean_interval(np.asarray(values, dtype=np.float64) / length)
    return None if ends is None else (ends[0] * length, ends[1] * length)
