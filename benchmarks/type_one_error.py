"""How often each test finds a difference where there is none, measured on 2,000 null experiments of each kind.

    python benchmarks/type_one_error.py [--experiments 2000]

A null experiment has two agents that are equal: its paired differences are symmetric about zero (skewed scores give
skewed scores to both agents). Seeds are fixed, so the figures come out the same. Takes about a quarter of an hour.
"""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from datetime import date, timedelta
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from stats.intervals import LEVEL, mean_interval  # noqa: E402
from stats.paired import EXACT, sign_flip_p, wilcoxon_p  # noqa: E402
from stats.regression import ModelScores, Trend, trend  # noqa: E402
from stats.sequential import look, spent  # noqa: E402

Numbers = NDArray[np.float64]
Draw = Callable[[np.random.Generator, int], Numbers]
SIZES = (6, 8, 12, 20)
DESIGNS = ((4, 8, 12), (8, 10, 12), (6, 12), (3, 6, 9, 12), (10, 15, 20), (10, 20, 30, 40))
COMPARISONS = 6
SEED = 20_260_218


def _skewed(rng: np.random.Generator, n: int) -> Numbers:
    """Scores near the maximum with a long lower tail, of two agents on instances of different difficulty."""
    level = rng.uniform(0, 20, n)
    scores = [np.clip(100 - level - rng.exponential(12, n), 0, 100) for _ in range(2)]
    return scores[1] - scores[0]


def _with_ties(rng: np.random.Generator, n: int) -> Numbers:
    """Solved counts: half of the instances end alike, the others differ by steps of 10 points."""
    return np.where(rng.random(n) < 0.5, 0.0, 10.0 * rng.choice([-3, -2, -1, 1, 2, 3], n))


KINDS: dict[str, Draw] = {
    "normal": lambda rng, n: rng.normal(0, 10, n),
    "skewed scores": _skewed,
    "heavy tails (t, 2 df)": lambda rng, n: 5 * rng.standard_t(2, n),
    "ties and zeros": _with_ties,
}


def experiments(number: int, draw: Draw, n: int, key: int = 0) -> Iterator[Numbers]:
    rng = np.random.default_rng([SEED, n, key])
    return (draw(rng, n) for _ in range(number))


def table(title: str, head: list[str], rows: Iterable[list[str]]) -> None:
    print(f"\n{title}\n\n| {' | '.join(head)} |\n|{'---|' * len(head)}")
    for row in rows:
        print(f"| {' | '.join(row)} |", flush=True)


def share(hits: int, number: int) -> str:
    return f"{100 * hits / number:.1f} %"


def paired_tests(number: int) -> None:
    """Share of experiments with p < 0.05, and with one such p or more after Holm's method in six comparisons."""
    head = ["differences", "n", "sign-flip", "Wilcoxon", "Holm, any of 6", "zero in the 95 % interval"]
    table("Paired tests", head, _paired_rows(number))


def _paired_rows(number: int) -> Iterator[list[str]]:
    for kind, draw in KINDS.items():
        for n in SIZES:
            flips = [sign_flip_p(d) < LEVEL for d in experiments(number, draw, n)]
            ranks = [(wilcoxon_p(d) or 1.0) < LEVEL for d in experiments(number, draw, n)]
            cells = [share(sum(hits), number) for hits in (flips, ranks)]
            family = share(_families(number, draw, n), number) if n <= EXACT else "–"
            yield [kind, str(n), *cells, family, share(_coverage(number, draw, n), number)]


def _families(number: int, draw: Draw, n: int) -> int:
    """Families of comparisons in which Holm's method leaves a p below the level."""
    p_values = (sign_flip_p(d) for d in experiments(number * COMPARISONS, draw, n, 1))
    # The smallest p after Holm's method is the smallest p times their number; computed here, which is 100 times faster.
    return sum(min(family) * COMPARISONS < LEVEL for family in zip(*[p_values] * COMPARISONS, strict=True))


def _coverage(number: int, draw: Draw, n: int) -> int:
    intervals = (mean_interval(d) for d in experiments(number, draw, n))
    return sum(1 for found in intervals if found and found[0] <= 0 <= found[1])


def staged(number: int) -> None:
    """Share of experiments that a comparison in stages decides, and the mean share of instances that it plays."""
    rows = []
    for sizes in DESIGNS:
        for kind, draw in KINDS.items():
            ends = [_play(d, sizes, 0) for d in experiments(number, draw, sizes[-1])]
            futile = [_play(d, sizes, 10) for d in experiments(number, draw, sizes[-1])]
            cells = [share(sum(decided for _, decided in runs), number) for runs in (ends, futile)]
            played = [f"{np.mean([n for n, _ in runs]) / sizes[-1]:.0%}".replace("%", " %") for runs in (ends, futile)]
            rows.append(["-".join(map(str, sizes)), kind, *cells, *played])
    head = ["stages", "differences", "error", "error, 10 points planned", "played", "played, 10 points planned"]
    table("Comparisons in stages", head, rows)


def _play(d: Numbers, sizes: tuple[int, ...], planned: float) -> tuple[int, bool]:
    """(instances played, whether a difference was found) of one comparison in stages."""
    levels = spent(sizes)
    for stage, n in enumerate(sizes, 1):
        found = look(d[:n].tolist(), sizes[:stage], levels[:stage], planned=planned, total=sizes[-1])
        if found.is_decided or found.is_futile:
            break
    return n, found.is_decided


def _shifted(effect: float, rng: np.random.Generator, n: int) -> Numbers:
    return rng.normal(effect, 1, n)


def power_of_stages(number: int) -> None:
    """Power and instances played where the agents differ by `effect` standard deviations, against one test at the end."""
    rows = []
    for sizes in DESIGNS:
        for effect in (0.5, 1.0, 1.5):
            drawn = list(experiments(number, partial(_shifted, effect), sizes[-1], 2))
            ends = [_play(d, sizes, 0) for d in drawn]
            one = sum(_play(d, (sizes[-1],), 0)[1] for d in drawn)
            played = f"{np.mean([n for n, _ in ends]):.1f} of {sizes[-1]}"
            cells = [share(sum(decided for _, decided in ends), number), share(one, number), played]
            rows.append(["-".join(map(str, sizes)), f"{effect:g}", *cells])
    table("Power", ["stages", "effect, SD", "in stages", "at the end alone", "mean instances"], rows)


def trends(number: int) -> None:
    """Share of regressions with p < 0.05 where scores do not depend on the date, but runs of a model resemble each other."""
    rows = []
    for models in (4, 8, 16):
        rng = np.random.default_rng([SEED, models])
        found = [_null_trend(rng, models) for _ in range(number)]
        rows.append([str(models), share(sum(1 for line in found if line.p is not None and line.p < LEVEL), number)])
    table("Trend over release dates, 12 runs a model", ["models", "p < 0.05"], rows)


def _null_trend(rng: np.random.Generator, models: int) -> Trend:
    seen = []
    for model in range(models):
        released = date(2024, 1, 1) + timedelta(days=int(rng.integers(0, 700)))
        seen.append(ModelScores(str(model), released, rng.normal(50, 10) + rng.normal(0, 15, 12)))
    line = trend(seen)
    assert isinstance(line, Trend), line
    return line


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--experiments", type=int, default=2_000)
    number = parser.parse_args().experiments
    staged(number)
    power_of_stages(number)
    trends(number)
    paired_tests(number)
