"""Measures the time to prove the exact optima, and the scores of the baselines.

python -m benchmarks economics [--baselines]
"""

import statistics
from itertools import product

from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from benchmarks.harness import spending
from environments.pricing.economics import Demand
from environments.registry import BENCHMARKS, ENVIRONMENTS, generate
from environments.scheduling.economics import Preferences
from tests.waiting import took

DIFFICULTIES = ("BASIC", "MEDIUM", "HARD")
SEEDS = range(12)


def main(*, baselines: bool = False) -> None:
    """baselines: whether to also play every baseline on 12 seeds of 3 difficulties"""
    procurement()
    markets = [
        Preferences.of(generate("scheduling", difficulty, seed)) for difficulty in DIFFICULTIES for seed in SEEDS
    ]
    seconds = took(lambda: [market.expected_blocking_pairs() for market in markets])
    print(f"Scheduling: {len(markets)} exact denominators in {1000 * seconds:.1f} ms")
    instances = [generate("pricing", "HARD", seed) for seed in SEEDS]
    work = [(Demand.of(instance), instance.hidden["alphas"]) for instance in instances]
    seconds = took(lambda: [demand.optimal_prices(alphas) for demand, alphas in work])
    print(f"Pricing: {len(work)} optimal price paths in {1000 * seconds:.1f} ms")
    for environment, difficulty in product(BENCHMARKS, DIFFICULTIES) if baselines else ():
        scores(environment, difficulty)


def procurement() -> None:
    """Print the seconds to solve the twelve instances of each difficulty and prove their optima."""
    print("Procurement: proven optima")
    for difficulty in DIFFICULTIES:
        optima = [generate("procurement", difficulty, seed).reference["optimum"] for seed in SEEDS]
        seconds = [optimum["seconds"] for optimum in optima]
        proven = f"{sum(optimum['proven'] for optimum in optima)} of {len(optima)} proven"
        print(f"  {difficulty:7} {proven}, median {statistics.median(seconds):.2f} s, max {max(seconds):.2f} s")


def scores(environment: str, difficulty: str) -> None:
    """Print the mean score of every baseline over the twelve seeds of a difficulty, in percent."""
    instances = [generate(environment, difficulty, seed) for seed in SEEDS]
    for slug, baseline in BASELINES.items():
        if environment in baseline.environments:
            with spending() as spent:
                runs = [play_baseline(baseline, instance, ENVIRONMENTS[environment]) for instance in instances]
            values = [run.score(run.instance, run.outcomes).value for run in runs]
            mean = 100 * statistics.fmean(value for value in values if value is not None)
            print(f"  {environment:12} {difficulty:7} {slug:26} {mean:7.2f}  {spent.seconds / len(runs):.2f} s a run")
