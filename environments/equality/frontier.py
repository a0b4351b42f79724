"""The frontier between revenue and inequality: a proven bound, and allocations that come close to it.

The bound. Relax the N assignments to doubly stochastic matrices and cap the inequality. This is a linear program, whose
value is at least the revenue of every allocation within the cap. Revenue and inequality depend on total pay alone. In one
period, the possible pays are the convex hull of the permutations of its sizes (Birkhoff). The sum of these hulls is the
hull for the sums of the sorted sizes, so the total pays form a permutohedron. Order the workers by productivity, and let
B_k be the sum over the periods of the k largest sizes. Then the program is

    maximise sum_k p_k y_k  subject to  y_1 + .. + y_k <= B_k,  y_1 + .. + y_n = B_n,  l <= y_k <= l + cap.

For a given l this is a base polytope cut by a box, where the greedy solution is optimal: its sums y_1 + .. + y_k are

    F_k(l) = min over m of  B_m + max(k - m, 0) (l + cap) - max(m - k, 0) l,

feasible for l <= B_n / n <= l + cap. Revenue is sum_k (p_k - p_(k+1)) F_k(l) + p_n B_n. It is concave and piecewise linear
in l, so the best l is a breakpoint or an end. These are a handful of rational numbers, which are all tried exactly.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from environments.equality.economics import Company, Ints

STEPS = 20
"""Number of equal steps from inequality 0 to that of P_eff. The frontier has STEPS + 1 points."""

Floats = NDArray[np.float64]
Line = tuple[Fraction, int]
"""Intercept and slope of a linear function of l."""


def revenue_bound(company: Company, cap: float) -> float:
    """An upper bound on the revenue of every allocation whose inequality is at most `cap` dollars."""
    worths = [Fraction(p) for p in sorted(company.productivities, reverse=True)]
    sums = [0, *np.cumsum(-np.sort(-company.sizes, axis=1).sum(axis=0)).tolist()]
    n, width = len(worths), Fraction(cap)
    lines: list[list[Line]] = [
        [(sums[m] + max(k - m, 0) * width, max(k - m, 0) - max(m - k, 0)) for m in range(n + 1)] for k in range(1, n)
    ]
    highest = Fraction(sums[n], n)
    breakpoints = {highest - width, highest} | {
        (b - a) / (slope_a - slope_b)
        for bounds in lines
        for (a, slope_a), (b, slope_b) in combinations(bounds, 2)
        if slope_a != slope_b
    }
    steps = [worths[k] - worths[k + 1] for k in range(n - 1)]
    best = max(
        sum(step * min(a + slope * low for a, slope in bounds) for step, bounds in zip(steps, lines, strict=True))
        for low in breakpoints
        if highest - width <= low <= highest
    )
    return float(best + worths[-1] * sums[n])


@dataclass(frozen=True)
class _Swaps:
    """All k options to change an allocation: first to do nothing, then every exchange of two tasks within a period.

    period: (k,), period of each exchange, -1 for doing nothing
    gain: (k, n), change of each worker's pay
    """

    first: Ints
    second: Ints
    period: Ints
    gain: Ints

    @classmethod
    def of(cls, company: Company, worker_of: Ints) -> Self:
        periods, n = company.sizes.shape
        first, second = (np.array(side, dtype=np.int64) for side in zip(*combinations(range(n), 2), strict=True))
        more = (company.sizes[:, second] - company.sizes[:, first])[..., None]
        gain = np.zeros((periods, len(first), n), dtype=np.int64)
        np.put_along_axis(gain, worker_of[:, first][..., None], more, axis=2)
        np.put_along_axis(gain, worker_of[:, second][..., None], -more, axis=2)
        period = np.concatenate([[-1], np.repeat(np.arange(periods), len(first))])
        nothing = np.zeros((1, n), dtype=np.int64)
        return cls(first, second, period, np.concatenate([nothing, gain.reshape(-1, n)]))

    def apply(self, worker_of: Ints, move: int) -> None:
        if move:
            period, pair = divmod(move - 1, len(self.first))
            a, b = self.first[pair], self.second[pair]
            worker_of[period, [a, b]] = worker_of[period, [b, a]]


def climb(company: Company, worker_of: Ints, cap: float) -> Ints:
    """Improve an allocation until no two swaps in two periods raise its revenue within the cap; return it, (N, n).

    worker_of: (N, n), the allocation to start from, with an inequality of at most `cap`
    """
    worker_of = worker_of.copy()
    while True:
        swaps = _Swaps.of(company, worker_of)
        gains: Floats = np.zeros(len(swaps.gain))
        # Add worker by worker: a matrix product may round differently on different machines.
        for worker, productivity in enumerate(company.productivities):
            gains += swaps.gain[:, worker] * productivity
        gains = gains[:, None] + gains[None, :]
        possible = _inequality(company.pay(worker_of), swaps.gain) <= cap
        possible &= swaps.period[:, None] != swaps.period[None, :]
        gains[~possible] = -np.inf
        best = int(gains.argmax())
        if gains.flat[best] <= 1e-9:
            return worker_of
        for move in divmod(best, len(swaps.period)):
            swaps.apply(worker_of, move)


def _inequality(pay: Ints, gain: Ints) -> Ints:
    """Inequality after options i and j of `gain` together, shape (k, k). Loops over the workers to save memory."""
    after = (gain[:, None, worker] + (gain[None, :, worker] + paid) for worker, paid in enumerate(pay))
    highest = lowest = next(after)
    for paid in after:
        highest, lowest = np.maximum(highest, paid), np.minimum(lowest, paid)
    return np.asarray(highest - lowest)


def frontier(company: Company) -> list[dict[str, Any]]:
    """Return a row for each cap on inequality: the highest revenue found within the cap, and an upper bound on revenue.

    The caps go from 0 to the inequality of P_eff.

    The climb for the first cap starts at the equal allocation. Each later climb starts at the result of the climb before,
    so revenue never falls.
    """
    top = int(company.max_efficiency().inequality)
    worker_of = company.equal
    points = []
    for step in range(STEPS + 1):
        cap = step * top // STEPS
        worker_of = company.efficient() if step == STEPS else climb(company, worker_of, cap)
        points.append(
            {
                "inequality": cap,
                "revenue": company.point(worker_of).revenue,
                "revenue_bound": revenue_bound(company, cap),
            }
        )
    return points
