"""Table of all baselines by slug. To add a baseline, add one file and one line here."""

from agents.baselines.base import Baseline
from agents.baselines.litmus.collusion import BestResponse, Collusive, Nash
from agents.baselines.litmus.equality import GreedyEfficiency, GreedyEquality
from agents.baselines.litmus.patience_rate import PatienceRate
from agents.baselines.optimum import Optimum
from agents.baselines.pricing_drift_tracker import DriftTracker
from agents.baselines.pricing_simple import Constant, LocalSearch
from agents.baselines.procurement_hill_climber import HillClimber
from agents.baselines.random_actions import Random
from agents.baselines.scheduling_knuth import Knuth

BASELINES: dict[str, type[Baseline]] = {
    "random": Random,
    "optimum": Optimum,
    "procurement-hill-climber": HillClimber,
    "scheduling-knuth": Knuth,
    "pricing-constant": Constant,
    "pricing-local-search": LocalSearch,
    "pricing-drift-tracker": DriftTracker,
    "equality-greedy-efficiency": GreedyEfficiency,
    "equality-greedy-equality": GreedyEquality,
    "collusion-nash": Nash,
    "collusion-collusive": Collusive,
    "collusion-best-response": BestResponse,
    "patience-rate": PatienceRate,
}


def baselines_of(*environments: str) -> list[str]:
    """Slugs of the baselines that play at least one of the environments."""
    return [slug for slug, baseline in BASELINES.items() if not set(environments).isdisjoint(baseline.environments)]
