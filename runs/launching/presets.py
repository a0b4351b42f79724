"""Presets of the launch form: values by field name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Preset:
    slug: str
    title: str
    description: str
    values: Mapping[str, Any]


BENCHMARKS = ("procurement", "scheduling", "pricing")


def _preset(
    slug: str, title: str, description: str, environments: tuple[str, ...], difficulties: tuple[str, ...], **values: Any
) -> Preset:
    usual = {"seeds": "0", "variants": ("main",), "periods": ""}
    return Preset(
        slug, title, description, usual | {"environments": environments, "difficulties": difficulties} | values
    )


LEVELS = ("BASIC", "MEDIUM", "HARD")
PATIENCE, EQUALITY, COLLUSION = LITMUS = (
    "patience_vs_impatience",
    "efficiency_vs_equality",
    "collusiveness_vs_competitiveness",
)
PATIENCE_RUNS = ("main", "interest_rate", "user_name")
EQUALITY_RUNS = ("main", "efficiency", "equality")
COLLUSION_RUNS = ("main", "single_agent")
FEWER_REPETITIONS = {f"custom_{PATIENCE}_{name}": 1 for name in ("one_month", "six_months", "one_year", "five_years")}
FEWER_REPETITIONS[f"custom_{PATIENCE}_repetitions"] = 4

PRESETS = (
    _preset("quick", "Quick look", "3 seeds, BASIC", BENCHMARKS, ("BASIC",), seeds="0-2"),
    _preset("paper", "Paper benchmark", "12 seeds, three difficulties", BENCHMARKS, LEVELS, seeds="0-11"),
    _preset(
        "horizon",
        "Known horizon",
        "procurement, told how long and for what (appendix F.2)",
        ("procurement",),
        LEVELS,
        seeds="0-11",
        variants=("main", "known_horizon", "known_horizon_and_goal"),
    ),
    _preset(
        "patience",
        "Patience",
        "4,800 queries, competency and 36 names",
        (PATIENCE,),
        ("STANDARD",),
        variants=PATIENCE_RUNS,
    ),
    _preset(
        "patience-quick",
        "Patience, quick",
        "4 repetitions, competency",
        (PATIENCE,),
        ("CUSTOM",),
        variants=("main", "interest_rate"),
        **FEWER_REPETITIONS,
    ),
    _preset(
        "equality",
        "Efficiency against equality",
        "18 seeds, both competencies",
        (EQUALITY,),
        ("STANDARD",),
        seeds="0-17",
        variants=EQUALITY_RUNS,
    ),
    _preset(
        "equality-quick",
        "Efficiency against equality, quick",
        "3 seeds",
        (EQUALITY,),
        ("STANDARD",),
        seeds="0-2",
        variants=EQUALITY_RUNS,
    ),
    _preset(
        "collusion",
        "Collusion",
        "21 runs of 300 periods, 3 of a single seller",
        (COLLUSION,),
        ("STANDARD",),
        seeds="0-20",
        variants=COLLUSION_RUNS,
    ),
    _preset(
        "collusion-quick",
        "Collusion, quick",
        "3 seeds of each",
        (COLLUSION,),
        ("STANDARD",),
        seeds="0-2",
        variants=COLLUSION_RUNS,
    ),
)
