"""False alarms and power of a drift watch, measured on simulated years.

    python -m benchmarks drift [--years 1000]

A year has a baseline of two replays, and 12 or 53 looks that are compared with it. Seeds are fixed, so the figures are
reproducible. Takes about five minutes of one processor.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import print_table, share
from stats.means import sign_flip_p
from stats.replays import BASELINE_ROUNDS, level_of_look, replayed

Numbers = NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int]], Numbers]
SEED = 20_261_101
MONTHS, WEEKS = 12, 53


def _crashes(rng: np.random.Generator, shape: tuple[int, int]) -> Numbers:
    """Draw scores of about 90, with a probability of 30 % of about 20."""
    return np.where(rng.random(shape) < 0.3, 20.0, 90.0) + rng.normal(0, 3, shape)


def _mostly_equal(rng: np.random.Generator, shape: tuple[int, int]) -> Numbers:
    """Draw scores of 100 with a probability of 60 %, otherwise of 90, 80 or 70."""
    return np.where(rng.random(shape) < 0.6, 100.0, 100 - 10.0 * rng.integers(1, 4, shape))


KINDS: dict[str, Draw] = {
    "normal": lambda rng, shape: rng.normal(50, 10, shape),
    "beta(8, 1)": lambda rng, shape: 100 * rng.beta(8, 1, shape),
    "crashes in 30 %": _crashes,
    "heavy tails (t, 2 df)": lambda rng, shape: 50 + 5 * rng.standard_t(2, shape),
    "60 % equal": _mostly_equal,
}
"""Draws of the scores of replays. Instances need no levels of their own, because the tests compare only differences."""


def alarms(draw: Draw, n: int, looks: int, years: int, test: Callable[[Numbers, Numbers, int], bool]) -> int:
    """Count the years in which at least one look reports a change, although the agent did not change."""
    rng = np.random.default_rng([SEED, n, looks])
    alarm_count = 0
    for _ in range(years):
        earlier = draw(rng, (n, BASELINE_ROUNDS))
        alarm_count += any(test(earlier, draw(rng, (n, 1))[:, 0], looks) for _ in range(looks))
    return alarm_count


def by_replay(earlier: Numbers, new: Numbers, looks: int) -> bool:
    return replayed(earlier.tolist(), new.tolist(), looks).is_changed


def by_signs(earlier: Numbers, new: Numbers, looks: int) -> bool:
    """Whether a sign-flip test against the mean of the baseline finds a change. For comparison with `by_replay`."""
    return sign_flip_p(new - earlier.mean(axis=1)) <= level_of_look(looks)


def false_alarms(years: int) -> None:
    rows = []
    for kind, draw in KINDS.items():
        monthly = [alarms(draw, n, MONTHS, years, by_replay) for n in (6, 9, 12, 18)]
        weekly = [alarms(draw, n, WEEKS, years // 2, by_replay) for n in (7, 12)]
        signs = alarms(draw, 12, MONTHS, years, by_signs)
        rows.append([
            kind, *(share(hits, years) for hits in monthly), *(share(hits, years // 2) for hits in weekly),
            share(signs, years),
        ])  # fmt: skip
    head = ["scores of a replay", *(f"{n} instances, monthly" for n in (6, 9, 12, 18))]
    head += [*(f"{n} instances, weekly" for n in (7, 12)), "12, monthly, by sign flips"]
    print_table("Years with a change told where there was none", head, rows)


def power(years: int) -> None:
    rows = []
    for spread in (3, 5, 10, 15):
        for change in (5, 10, 20):
            cells = []
            for n in (6, 9, 12, 18):
                rng = np.random.default_rng([SEED, n, spread, change])
                first = third = 0
                for _ in range(years):
                    earlier = rng.normal(0, spread, (n, BASELINE_ROUNDS))
                    looks = [by_replay(earlier, rng.normal(-change, spread, n), MONTHS) for _ in range(3)]
                    first, third = first + looks[0], third + any(looks)
                cells.append(f"{share(first, years)}, {share(third, years)}")
            rows.append([str(spread), str(change), *cells])
    head = ["SD of a replay, points", "change, points", *(f"{n} instances" for n in (6, 9, 12, 18))]
    print_table("Changes told by the first monthly look, and by one of three", head, rows)


def main(*, years: int = 1000) -> None:
    false_alarms(years)
    power(years)
