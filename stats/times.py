"""How many periods runs took to an event that some of them never reached. Pure functions over numbers.

A time is a period, counted from 1; 0 means that the run never reached the event. All runs have the same length and were
followed to its end, so nothing is censored earlier: shares of runs equal the Kaplan-Meier estimate, and the restricted mean
(Irwin 1949; Royston and Parmar 2013, BMC Med Res Methodol 13) is a plain mean.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from stats.means import Interval, mean_interval

Floats = NDArray[np.float64]
Times = NDArray[np.int64]


def restricted(times: Times, length: int) -> Floats:
    """The times in periods, with `length` for runs that never reached the event, in the shape of `times`."""
    return np.where(times == 0, length, times).astype(np.float64)


def reached_by(times: Times, length: int) -> Floats:
    """The share of runs that had reached the event by each period from 0 to `length`, (length + 1,). Needs a run."""
    return np.asarray(np.cumsum(np.bincount(times[times > 0], minlength=length + 1)[: length + 1]) / len(times))


def median_time(times: Times) -> int | None:
    """The first period by which at least half of the runs had reached the event; None if fewer than half ever did."""
    reached, half = np.sort(times[times > 0]), -(-len(times) // 2)
    return int(reached[half - 1]) if 0 < half <= len(reached) else None


def restricted_interval(values: Sequence[float] | Floats, length: int) -> Interval | None:
    """95 % interval of the mean of restricted times, in periods; see `mean_interval`, for shares of `length`."""
    ends = mean_interval(np.asarray(values, dtype=np.float64) / length)
    return None if ends is None else (ends[0] * length, ends[1] * length)
