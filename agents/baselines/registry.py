"""Every baseline by slug. Adding one is a file like its siblings and a line here."""

from __future__ import annotations

from agents.baselines.base import Baseline
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
}
