"""How long the exact optima take, that they are proven, and what the baselines score.

python benchmarks/economics.py [--json] [--baselines]
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from environments.pricing.economics import Demand
from environments.registry import ENVIRONMENTS, generate
from environments.scheduling.economics import Preferences

DIFFICULTIES = ("BASIC", "MEDIUM", "HARD")
SEEDS = range(12)


def timed(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def procurement() -> dict[str, Any]:
    """Seconds to solve and prove the twelve instances of each difficulty."""
    table = {}
    for difficulty in DIFFICULTIES:
        optima = [generate("procurement", difficulty, seed).reference["optimum"] for seed in SEEDS]
        seconds = [optimum["seconds"] for optimum in optima]
        gaps = [optimum["log_bound"] - optimum["log_value"] for optimum in optima if optimum["log_bound"] is not None]
        table[difficulty] = {
            "proven": sum(optimum["proven"] for optimum in optima),
            "instances": len(optima),
            "median_seconds": statistics.median(seconds),
            "max_seconds": max(seconds),
            "largest_log_gap": max(gaps, default=None),
        }
    return table


def scheduling() -> dict[str, Any]:
    """Seconds for the exact denominators of all 36 instances together."""
    instances = [generate("scheduling", difficulty, seed) for difficulty in DIFFICULTIES for seed in SEEDS]
    markets = [Preferences.of(instance) for instance in instances]
    seconds = timed(lambda: [market.expected_blocking_pairs() for market in markets])
    return {"instances": len(markets), "seconds": seconds}


def pricing() -> dict[str, Any]:
    """Seconds for the optimal price paths of the twelve HARD instances together."""
    instances = [generate("pricing", "HARD", seed) for seed in SEEDS]
    work = [(Demand.of(instance), instance.hidden["alphas"]) for instance in instances]
    seconds = timed(lambda: [demand.optimal_prices(alphas) for demand, alphas in work])
    return {"instances": len(instances), "seconds": seconds}


def baselines() -> list[dict[str, Any]]:
    """Mean scores, in percent, of every baseline over the twelve seeds of each difficulty."""
    rows = []
    for name in ("procurement", "scheduling", "pricing"):
        for difficulty in DIFFICULTIES:
            instances = [generate(name, difficulty, seed) for seed in SEEDS]
            for slug, baseline in BASELINES.items():
                if name not in baseline.environments:
                    continue
                started = time.perf_counter()
                runs = [play_baseline(baseline, instance, ENVIRONMENTS[name]) for instance in instances]
                seconds = (time.perf_counter() - started) / len(runs)
                scores = [run.score(run.instance, run.outcomes).value for run in runs]
                mean = 100 * statistics.fmean(score for score in scores if score is not None)
                row = {"environment": name, "difficulty": difficulty, "baseline": slug}
                rows.append(row | {"mean_score": mean, "seconds_per_run": seconds})
    return rows


def printed(report: dict[str, Any]) -> None:
    print("Procurement: proven optima")
    for difficulty, row in report["procurement"].items():
        print(
            f"  {difficulty:7} {row['proven']} of {row['instances']} proven, "
            f"median {row['median_seconds']:.2f} s, max {row['max_seconds']:.2f} s"
        )
    for name, what in (("scheduling", "exact denominators"), ("pricing", "optimal price paths")):
        row = report[name]
        print(f"{name.capitalize()}: {row['instances']} {what} in {1000 * row['seconds']:.1f} ms")
    for row in report.get("baselines", ()):
        print(
            f"  {row['environment']:12} {row['difficulty']:7} {row['baseline']:26} "
            f"{row['mean_score']:7.2f}  {row['seconds_per_run']:.2f} s a run"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--baselines", action="store_true", help="also play every baseline, 12 seeds x 3 difficulties")
    options = parser.parse_args()
    report: dict[str, Any] = {"procurement": procurement(), "scheduling": scheduling(), "pricing": pricing()}
    if options.baselines:
        report["baselines"] = baselines()
    if options.json:
        print(json.dumps(report, indent=2))
    else:
        printed(report)


if __name__ == "__main__":
    main()
