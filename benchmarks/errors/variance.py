"""Intervals of the components of the variance."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from benchmarks.errors.draws import Draw, Numbers, generators
from benchmarks.harness import Rows, prints, rate
from stats.designs import variance
from stats.means import deviation_interval

SIZES = (5, 8, 12, 36)
EFFECTS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(0, 1, n),
    "of beta(8, 1)": lambda rng, n: (rng.beta(8, 1, n) - 8 / 9) / np.sqrt(8 / 810),
    "heavy tails (t, 5 df)": lambda rng, n: rng.standard_t(5, n) / np.sqrt(5 / 3),
    "60 % zeros": lambda rng, n: np.where(rng.random(n) < 0.6, 0.0, rng.normal(0, 1, n)) / np.sqrt(0.4),
}
"""Functions that draw an effect with mean 0 and variance 1. With 2 degrees of freedom there is no variance."""


@dataclass(frozen=True)
class _Design:
    """An experiment. deviations: of the instance, the agent on the instance and the run; missing: share of the runs"""

    agents: int
    runs: int
    deviations: Mapping[str, float]
    missing: float = 0.0


EQUAL = {variance.INSTANCE: 10.0, variance.ON_INSTANCE: 10.0, variance.RUN: 10.0}
UNEQUAL = {variance.INSTANCE: 20.0, variance.ON_INSTANCE: 7.0, variance.RUN: 10.0}
DESIGNS = (_Design(2, 2, EQUAL), _Design(6, 3, UNEQUAL, missing=0.25), _Design(2, 1, EQUAL))


@prints(
    "Components of the variance: 2 agents with 2 runs on each instance, 6 with 3 of which a quarter is missing, 2 with 1",
    *("effects", "n"),
    *(f"{size}: {name}" for size in ("2 × 2", "6 × 3") for name in ("run", "agent on instance", "instance")),
    "2 × 1: agent on instance with run",
)
def components(number: int) -> Rows:
    """Yield the share of intervals that contain the true standard deviation; a dash where none is shown."""
    for (kind, draw), n in product(EFFECTS.items(), SIZES):
        rates = []
        for key, design in enumerate(DESIGNS):
            drawn = list(_drawn(number, draw, n, design, key))
            true = dict(design.deviations)
            true[variance.ON_INSTANCE_AND_RUN] = float(np.hypot(true[variance.ON_INSTANCE], true[variance.RUN]))
            names = (variance.RUN, variance.ON_INSTANCE, variance.INSTANCE)
            for name in names if design.runs > 1 else (variance.ON_INSTANCE_AND_RUN,):
                intervals = [interval for each in drawn if (interval := each.terms[name].interval)]
                rates.append(rate(low <= true[name] <= high for low, high in intervals))
        yield [kind, str(n), *rates]


@prints(
    "Reliability with several runs on each instance, true value 0.776",
    *("part of the variance between instances", "instances", "2 runs on each", "5 runs on each"),
)
def reliability(number: int) -> Rows:
    """Yield the share of intervals that contain the true value, for normal scores."""
    true = 0.224
    for part, n in product((0.0, 0.5, 0.9), (3, 6, 12)):
        rates = []
        for runs in (2, 5):
            inside = []
            for rng in generators(number, 12, n, runs, round(10 * part)):
                between = rng.normal(0, true * np.sqrt(part), (n, 1))
                scores = between + rng.normal(0, true * np.sqrt(1 - part), (n, runs))
                low, high = deviation_interval(float(scores.std(ddof=1)), n - 1)
                inside.append(low <= true <= high)
            rates.append(rate(inside))
        yield [f"{100 * part:.0f} %", str(n), *rates]


def _drawn(number: int, draw: Draw, n: int, design: _Design, key: int) -> Iterator[variance.Components]:
    for rng in generators(number, 11, n, key):
        yield _components(rng, draw, n, design)


def _components(rng: np.random.Generator, draw: Draw, n: int, design: _Design) -> variance.Components:
    shape = (design.agents, n, design.runs)
    agents, instances, runs = np.indices(shape).reshape(3, -1)
    instance, on_instance, run = design.deviations.values()

    def effects(deviation: float, *of: int) -> Numbers:
        return np.asarray(deviation * draw(rng, int(np.prod(of))).reshape(of))

    scores = effects(instance, 1, n, 1) + effects(on_instance, *shape[:2], 1) + effects(run, *shape)
    # The first run is never missing, so that every agent plays every instance.
    kept = (rng.random(scores.size) >= design.missing) | (runs == 0)
    result = variance.components(agents[kept], instances[kept], scores.ravel()[kept])
    assert isinstance(result, variance.Components)
    return result
