"""Every baseline by slug. Adding one is a file like its siblings and a line here."""

from __future__ import annotations

from agents.baselines.base import Baseline
from agents.baselines.litmus.collusion_best_response import BestResponse
from agents.baselines.litmus.collusion_fixed import Collusive, Nash
from agents.baselines.litmus.equality_greedy_efficiency import GreedyEfficiency
from agents.baselines.litmus.equality_greedy_equality import GreedyEquality
from agents.baselines.litmus.patience_rate import PatienceRate
from agents.baselines.optimum import Optimum
from agents.baselines.pricing_constant import Constant
from agents.baselines.pricing_drift_tracker import DriftTracker
from agents.baselines.pricing_local_search import LocalSearch
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
