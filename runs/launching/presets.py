"""Presets of launches: values by the field names of the launch form."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from environments.generation import parse_seeds
from environments.registry import ENVIRONMENTS
from runs.launching.plan import format_seeds


@dataclass(frozen=True)
class Preset:
    """Values of a launch. A setting of the difficulty CUSTOM has the name `custom_ENVIRONMENT_SETTING`.

    repetitions: how often a survey asks each of its questions; 0 for other environments
    """

    slug: str
    title: str
    description: str
    values: Mapping[str, Any]
    repetitions: int = 0

    def scaled(self, scale: float) -> tuple["Preset", str]:
        """The preset with this share of its seeds, at least one, and what that leaves out in words.

        A survey has this share of the repetitions of its questions. Runs stay as long as in the papers: a score after
        fewer periods is not comparable with a printed one.
        """
        if self.repetitions:
            number = max(1, round(scale * self.repetitions))
            left_out = f"{self.repetitions - number} of {self.repetitions} repetitions of each question"
            values, is_smaller = dict(self.values) | _asked(number), number < self.repetitions
        else:
            seeds = parse_seeds(self.values["seeds"])
            number = max(1, round(scale * len(seeds)))
            left_out = f"{len(seeds) - number} of {len(seeds)} seeds ({format_seeds(seeds[number:])})"
            values, is_smaller = dict(self.values) | {"seeds": format_seeds(seeds[:number])}, number < len(seeds)
        return (replace(self, values=values), left_out) if is_smaller else (self, "")


def _preset(slug: str, title: str, description: str, **values: Any) -> Preset:
    return Preset(
        slug,
        title,
        description,
        {"seeds": "0", "variants": ("main",), "periods": "", "repeats": 1, "stages": ""} | values,
    )


def _litmus(environment: str, *variants: str) -> dict[str, Any]:
    return {"environments": (environment,), "difficulties": ("STANDARD",), "variants": variants}


BENCHMARKS = ("procurement", "scheduling", "pricing")
PAPER = {"environments": BENCHMARKS, "difficulties": ("BASIC", "MEDIUM", "HARD"), "seeds": "0-11"}
PATIENCE = _litmus("patience_vs_impatience", "main", "interest_rate", "user_name")


def _asked(repetitions: int) -> dict[str, Any]:
    """The survey with this number of repetitions of each question."""
    settings = dict.fromkeys(("one_month", "six_months", "one_year", "five_years"), 1) | {"repetitions": repetitions}
    custom = {f"custom_patience_vs_impatience_{name}": value for name, value in settings.items()}
    return {"difficulties": ("CUSTOM",)} | custom


PATIENCE_QUICK = _asked(4) | {"variants": ("main", "interest_rate")}
EASIER = {
    f"custom_procurement_{name}": value
    for name, value in {
        "products": 40,
        "categories": 5,
        "lowest_effectiveness": 1,
        "highest_effectiveness": 20,
        "bundle_probability": 0.1,
        "quantity_probability": 0.1,
    }.items()
}
"""The alternative to HARD that the papers recommend (appendix G.1). Only the first two differ from HARD."""
EQUALITY = _litmus("efficiency_vs_equality", "main", "efficiency", "equality")
COLLUSION = _litmus("collusiveness_vs_competitiveness", "main", "single_agent")
EVERYTHING = PAPER | {
    "environments": BENCHMARKS + PATIENCE["environments"] + EQUALITY["environments"] + COLLUSION["environments"],
    "difficulties": (*PAPER["difficulties"], "STANDARD"),
    "variants": tuple(dict.fromkeys(PATIENCE["variants"] + EQUALITY["variants"] + COLLUSION["variants"])),
}

SHOCKS = tuple(
    name for environment in BENCHMARKS for name, each in ENVIRONMENTS[environment].variants.items() if each.settings
)
"""The variants that change the world of a run. They are ours, not the papers'."""

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
    _preset(
        "easier",
        "Slightly easier than HARD",
        "procurement of 40 products in 5 categories, otherwise as HARD (appendix G.1), 12 seeds",
        **PAPER | EASIER | {"environments": ("procurement",), "difficulties": ("CUSTOM",)},
    ),
    _preset("shocks", "Shocks", "a change at period 50, ours", **PAPER | {"variants": ("main", *SHOCKS)}),
    replace(_preset("patience", "Patience", "4,800 queries, competency and 36 names", **PATIENCE), repetitions=20),
    replace(
        _preset("patience-quick", "Patience, quick", "4 repetitions, competency", **PATIENCE | PATIENCE_QUICK),
        repetitions=4,
    ),
    _preset("equality", "Efficiency against equality", "18 seeds, both competencies", **EQUALITY, seeds="0-17"),
    _preset("equality-quick", "Efficiency against equality, quick", "3 seeds", **EQUALITY, seeds="0-2"),
    _preset("collusion", "Collusion", "21 runs of 300 periods, 3 of a single seller", **COLLUSION, seeds="0-20"),
    _preset("collusion-quick", "Collusion, quick", "3 seeds of each", **COLLUSION, seeds="0-2"),
)

BY_SLUG: Mapping[str, Preset] = {preset.slug: preset for preset in PRESETS}
WHOLE_PAPER = (
    replace(BY_SLUG["paper"], title="Benchmarks (table 4)"),
    _preset(
        "horizon",
        "Known horizon (table 9)",
        "its row without a horizon is in the benchmarks",
        **PAPER | {"environments": ("procurement",), "variants": ("known_horizon", "known_horizon_and_goal")},
    ),
    replace(BY_SLUG["patience"], title="Patience (tables 3 and 5, figure 11)"),
    replace(BY_SLUG["equality"], title="Efficiency against equality (table 3)"),
    replace(BY_SLUG["collusion"], title="Collusion (table 10)"),
)
"""The experiments of the newest paper (sections 4.1 and 6.1, appendices A, F.2 and J.4), in its order."""


def parts_of(slug: str) -> tuple[Preset, ...]:
    """The experiments that a command launches for a preset: one, or all of the newest paper for `paper`."""
    return WHOLE_PAPER if slug == "paper" else (BY_SLUG[slug],)


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
