"""Presets of the launch form: values by field name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Preset:
    slug: str
    title: str
    description: str
    values: Mapping[str, Any]


def _preset(slug: str, title: str, description: str, **values: Any) -> Preset:
    return Preset(slug, title, description, {"seeds": "0", "variants": ("main",), "periods": "", "stages": ""} | values)


def _litmus(environment: str, *variants: str) -> dict[str, Any]:
    return {"environments": (environment,), "difficulties": ("STANDARD",), "variants": variants}


BENCHMARKS = ("procurement", "scheduling", "pricing")
PAPER = {"environments": BENCHMARKS, "difficulties": ("BASIC", "MEDIUM", "HARD"), "seeds": "0-11"}
PATIENCE = _litmus("patience_vs_impatience", "main", "interest_rate", "user_name")
PATIENCE_QUICK = {"difficulties": ("CUSTOM",), "variants": ("main", "interest_rate")} | {
    f"custom_patience_vs_impatience_{name}": 4 if name == "repetitions" else 1
    for name in ("one_month", "six_months", "one_year", "five_years", "repetitions")
}
EQUALITY = _litmus("efficiency_vs_equality", "main", "efficiency", "equality")
COLLUSION = _litmus("collusiveness_vs_competitiveness", "main", "single_agent")
EVERYTHING = PAPER | {
    "environments": BENCHMARKS + PATIENCE["environments"] + EQUALITY["environments"] + COLLUSION["environments"],
    "difficulties": (*PAPER["difficulties"], "STANDARD"),
    "variants": tuple(dict.fromkeys(PATIENCE["variants"] + EQUALITY["variants"] + COLLUSION["variants"])),
}

PRESETS = (
    _preset("quick", "Quick look", "3 seeds, BASIC", environments=BENCHMARKS, difficulties=("BASIC",), seeds="0-2"),
    _preset("paper", "Paper benchmark", "12 seeds, three difficulties", **PAPER),
    _preset("everything", "Everything", "the benchmarks and all litmus tests, 12 seeds", **EVERYTHING),
    _preset(
        "horizon",
        "Known horizon",
        "procurement, told how long and for what (appendix F.2)",
        **PAPER | {"environments": ("procurement",), "variants": ("main", "known_horizon", "known_horizon_and_goal")},
    ),
    _preset("patience", "Patience", "4,800 queries, competency and 36 names", **PATIENCE),
    _preset("patience-quick", "Patience, quick", "4 repetitions, competency", **PATIENCE | PATIENCE_QUICK),
    _preset("equality", "Efficiency against equality", "18 seeds, both competencies", **EQUALITY, seeds="0-17"),
    _preset("equality-quick", "Efficiency against equality, quick", "3 seeds", **EQUALITY, seeds="0-2"),
    _preset("collusion", "Collusion", "21 runs of 300 periods, 3 of a single seller", **COLLUSION, seeds="0-20"),
    _preset("collusion-quick", "Collusion, quick", "3 seeds of each", **COLLUSION, seeds="0-2"),
)

_ONE, _FEW = {"seeds": (0,)}, {"seeds": (0, 1, 2)}
DEMO: tuple[tuple[str, dict[str, Any]], ...] = (
    ("Demo: every baseline, 3 seeds, BASIC", _FEW | {"environments": BENCHMARKS, "difficulties": ("BASIC",)}),
    ("Demo: patience", PATIENCE | _ONE | {"agents": ("patience-rate",)}),
    ("Demo: efficiency against equality", EQUALITY | _FEW),
    ("Demo: collusion", COLLUSION | _ONE),
    (
        "Demo: a market of two different sellers",
        COLLUSION
        | _ONE
        | {"variants": ("main",), "agents": ("collusion-best-response",), "rival": "collusion-collusive"},
    ),
)
"""The launches of a new site's demo, in order: (name, fields of a LaunchPlan). Without `agents` all baselines play."""
