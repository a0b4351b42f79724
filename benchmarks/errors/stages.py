"""Comparisons in stages: their error and their power."""

from functools import partial
from itertools import product

import numpy as np

from benchmarks.errors.draws import STAGED, Numbers, experiments
from benchmarks.harness import Rows, prints, rate
from stats.designs.sequential import look, spent

DESIGNS = ((4, 8, 12), (8, 10, 12), (6, 12), (3, 6, 9, 12), (10, 15, 20), (10, 20, 30, 40))


@prints("Comparisons in stages", "stages", "differences", "error", "error, 10 points planned", "played",
        "played, 10 points planned")  # fmt: skip
def staged(number: int) -> Rows:
    """Yield the share of experiments that a staged comparison decided, and the mean share of instances played."""
    for sizes, (kind, draw) in product(DESIGNS, STAGED.items()):
        plans = [[_play(d, sizes, planned) for d in experiments(number, draw, sizes[-1])] for planned in (0, 10)]
        errors = [rate(decided for _, decided in runs) for runs in plans]
        played = [f"{np.mean([n for n, _ in runs]) / sizes[-1]:.0%}".replace("%", " %") for runs in plans]
        yield ["-".join(map(str, sizes)), kind, *errors, *played]


def _play(d: Numbers, sizes: tuple[int, ...], planned: float) -> tuple[int, bool]:
    """Simulate a comparison in stages. Returns the number of instances played, and whether it found a difference."""
    levels = spent(sizes)
    for stage, n in enumerate(sizes, 1):
        decision = look(d[:n].tolist(), sizes[:stage], levels[:stage], planned=planned, total=sizes[-1])
        if decision.is_decided or decision.is_futile:
            break
    return n, decision.is_decided


def _shifted(effect: float, rng: np.random.Generator, n: int) -> Numbers:
    return rng.normal(effect, 1, n)


@prints("Power", "stages", "effect, SD", "in stages", "at the end alone", "mean instances")
def power_of_stages(number: int) -> Rows:
    """Yield power and instances played if the agents differ by some standard deviations, in stages and by one final test."""
    for sizes, effect in product(DESIGNS, (0.5, 1.0, 1.5)):
        drawn = list(experiments(number, partial(_shifted, effect), sizes[-1], 2))
        ends = [_play(d, sizes, 0) for d in drawn]
        at_end = rate(_play(d, (sizes[-1],), 0)[1] for d in drawn)
        mean_played = f"{np.mean([n for n, _ in ends]):.1f} of {sizes[-1]}"
        yield ["-".join(map(str, sizes)), f"{effect:g}", rate(decided for _, decided in ends), at_end, mean_played]
