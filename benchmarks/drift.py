"""False alarms and power of a drift watch, measured on simulated years.

    python -m benchmarks drift [--years 1000]

A year has a baseline of two replays, and 12 or 53 looks that are compared with it. Seeds are fixed, so the figures are
reproducible. Takes about five minutes of one processor.
"""

from collections.abc import Callable
from itertools import product

import numpy as np

from benchmarks.errors.draws import Numbers
from benchmarks.harness import Rows, prints, rate
from stats.designs.replays import BASELINE_ROUNDS, level_of_look, replayed
from stats.means import sign_flip_p

Draw = Callable[[np.random.Generator, tuple[int, int]], Numbers]
SEED = 20_261_101
MONTHS, WEEKS = 12, 53
SIZES = (6, 9, 12, 18)

KINDS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(50, 10, shape),
    "beta(8, 1)": lambda rng, shape: 100 * rng.beta(8, 1, shape),
    "crashes in 30 %": lambda rng, shape: np.where(rng.random(shape) < 0.3, 20.0, 90.0) + rng.normal(0, 3, shape),
    "heavy tails (t, 2 df)": lambda rng, shape: 50 + 5 * rng.standard_t(2, shape),
    "60 % equal": lambda rng, shape: np.where(rng.random(shape) < 0.6, 100.0, 100 - 10.0 * rng.integers(1, 4, shape)),
}
"""Draws of the scores of replays. Instances need no levels of their own, because the tests compare only differences."""


def alarms(draw: Draw, n: int, looks: int, years: int, test: Callable[[Numbers, Numbers, int], bool]) -> str:
    """Return the share of years in which at least one look reports a change, although the agent did not change."""
    rng = np.random.default_rng([SEED, n, looks])
    baselines = (draw(rng, (n, BASELINE_ROUNDS)) for _ in range(years))
    return rate(any(test(earlier, draw(rng, (n, 1))[:, 0], looks) for _ in range(looks)) for earlier in baselines)


def by_replay(earlier: Numbers, new: Numbers, looks: int) -> bool:
    return replayed(earlier.tolist(), new.tolist(), looks).is_changed


def by_signs(earlier: Numbers, new: Numbers, looks: int) -> bool:
    """Whether a sign-flip test against the mean of the baseline finds a change. For comparison with `by_replay`."""
    return sign_flip_p(new - earlier.mean(axis=1)) <= level_of_look(looks)


@prints("Years with a change told where there was none", "scores of a replay",
        *(f"{n} instances, monthly" for n in SIZES), *(f"{n} instances, weekly" for n in (7, 12)),
        "12, monthly, by sign flips")  # fmt: skip
def false_alarms(years: int) -> Rows:
    for kind, draw in KINDS.items():
        monthly = [alarms(draw, n, MONTHS, years, by_replay) for n in SIZES]
        weekly = [alarms(draw, n, WEEKS, years // 2, by_replay) for n in (7, 12)]
        yield [kind, *monthly, *weekly, alarms(draw, 12, MONTHS, years, by_signs)]


@prints("Changes told by the first monthly look, and by one of three", "SD of a replay, points", "change, points",
        *(f"{n} instances" for n in SIZES))  # fmt: skip
def power(years: int) -> Rows:
    for spread, change in product((3, 5, 10, 15), (5, 10, 20)):
        cells = []
        for n in SIZES:
            rng = np.random.default_rng([SEED, n, spread, change])
            baselines = (rng.normal(0, spread, (n, BASELINE_ROUNDS)) for _ in range(years))
            looks = [
                [by_replay(earlier, rng.normal(-change, spread, n), MONTHS) for _ in range(3)] for earlier in baselines
            ]
            cells.append(f"{rate(first for first, *_ in looks)}, {rate(map(any, looks))}")
        yield [str(spread), str(change), *cells]


def main(*, years: int = 1000) -> None:
    false_alarms(years)
    power(years)
