"""Every environment by name. Adding one is a folder like its siblings and a line here."""

from __future__ import annotations

from typing import Any

from environments import collusion, equality, patience, pricing, procurement, scheduling
from environments.base import Environment, Instance
from environments.generation import Generation

ENVIRONMENTS: dict[str, type[Environment]] = {
    "procurement": procurement.Procurement,
    "scheduling": scheduling.Scheduling,
    "pricing": pricing.Pricing,
    "efficiency_vs_equality": equality.EfficiencyVersusEquality,
    "collusiveness_vs_competitiveness": collusion.CollusivenessVersusCompetitiveness,
    "patience_vs_impatience": patience.Patience,
}

GENERATION: dict[str, Generation] = {
    "procurement": procurement.GENERATION,
    "scheduling": scheduling.GENERATION,
    "pricing": pricing.GENERATION,
    "efficiency_vs_equality": equality.GENERATION,
    "collusiveness_vs_competitiveness": collusion.GENERATION,
    "patience_vs_impatience": patience.GENERATION,
}


def generate(environment: str, difficulty: str, seed: int, generator: str = "published", **options: Any) -> Instance:
    """One instance of a named environment; options and errors as in `Generation.instance`."""
    return GENERATION[environment].instance(environment, difficulty, seed, generator, **options)
