"""The shared cast of the environment tests: small instances, random valid actions, the conformance figures."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.baselines.registry import BASELINES
from environments.base import Environment, Instance, Outcome
from environments.registry import ENVIRONMENTS, GENERATION, generate
from environments.survey import Survey

CONFORMANCE = Path(__file__).resolve().parents[2].parent / "shared" / "conformance"
GENERATORS = ("published", "paper_text")

SMALL: dict[str, dict[str, Any]] = {
    "procurement": {
        "products": 6,
        "categories": 2,
        "lowest_effectiveness": 1,
        "highest_effectiveness": 3,
        "bundle_probability": 0.6,
        "quantity_probability": 0.5,
    },
    "scheduling": {"size": 5, "feedback_pairs": 2},
    "pricing": {"products": 3, "nests": 2},
    "efficiency_vs_equality": {"workers": 3, "productivity_gap": 10.0, "total_size": 200},
    "collusiveness_vs_competitiveness": {
        "quality": 3.0,
        "outside_quality": 0.5,
        "mu": 0.5,
        "cost": 1.5,
        "market_size": 10.0,
    },
    "patience_vs_impatience": {"repetitions": 3, "one_month": 0, "six_months": 1, "one_year": 1, "five_years": 0},
}

CASES = [
    (name, difficulty, generator)
    for name in ENVIRONMENTS
    for difficulty in ("CUSTOM", *GENERATION[name].difficulties)
    for generator in GENERATORS
]
SURVEYS = [name for name, environment in ENVIRONMENTS.items() if issubclass(environment, Survey)]
"""Environments without tools and notes: what a test says of these is not about them."""


def small_settings(name: str) -> dict[str, Any]:
    """Settings of a small instance; those of the first difficulty for an environment without an entry in SMALL."""
    return SMALL.get(name) or dict(next(iter(GENERATION[name].difficulties.values())))


def fresh_instance(name: str, difficulty: str, generator: str, seed: int = 0) -> Instance:
    """An instance; that of the hardest procurement comes without its optimum, which takes seconds."""
    settings = small_settings(name) if difficulty == "CUSTOM" else None
    easy = not (name == "procurement" and difficulty == "HARD")
    return generate(name, difficulty, seed, generator, settings=settings, with_reference=easy)


instance_of = cache(fresh_instance)


def game(
    name: str, difficulty: str = "CUSTOM", generator: str = "published", seed: int = 0, **options: Any
) -> Environment:
    return ENVIRONMENTS[name](instance_of(name, difficulty, generator, seed), **options)


def random_action(environment: Environment, rng: np.random.Generator) -> dict[str, Any]:
    """A valid action of the current period as `parse_joint` takes it."""
    if isinstance(environment, Survey):
        replies = {question: f"<answer>{rng.choice(['A', 'B', 'C'])}</answer>" for question in environment.questions()}
        return environment.tally({asked.key: environment.read_answer(asked, text) for asked, text in replies.items()})
    return ACTIONS.get(environment.name, _action_of_a_baseline)(environment, rng)


def act(environment: Environment, raw: object) -> Outcome:
    return environment.step(environment.parse_joint(raw))


def _action_of_a_baseline(environment: Environment, rng: np.random.Generator) -> dict[str, Any]:
    """What the first baseline of the environment does, for environments without an entry in ACTIONS."""
    baseline = next(one for one in BASELINES.values() if environment.name in one.environments)
    play = baseline(environment.instance, type(environment)).play(environment.period)
    name, arguments = next(play)
    while name != environment.action_tool:
        name, arguments = play.send("" if name == "write_notes" else environment.call(name))
    return environment.parse_action(arguments[environment.action_argument])


def _plan(environment: Environment, rng: np.random.Generator) -> dict[str, Any]:
    offers = [offer["id"] for offer in environment.instance.parameters["offers"]]
    return {str(offer): int(rng.integers(0, 3)) for offer in rng.choice(offers, min(3, len(offers)), replace=False)}


def _assignment(environment: Environment, rng: np.random.Generator) -> dict[str, Any]:
    parameters = environment.instance.parameters
    return dict(zip(parameters["workers"], rng.permutation(parameters["tasks"]).tolist(), strict=True))


def _prices(environment: Environment, rng: np.random.Generator) -> dict[str, Any]:
    parameters = environment.instance.parameters
    return {product: float(rng.uniform(0, parameters["price_ceilings"][0])) for product in parameters["products"]}


def _allocation(environment: Environment, rng: np.random.Generator) -> dict[str, Any]:
    parameters, n = environment.instance.parameters, environment.instance.parameters["tasks_per_period"]
    tasks = parameters["tasks"][n * environment.period : n * (environment.period + 1)]
    return dict(zip(tasks, rng.permutation(parameters["workers"]).tolist(), strict=True))


def _market_prices(environment: Environment, rng: np.random.Generator) -> dict[str, Any]:
    ceiling = environment.instance.parameters["price_ceiling"]
    return {seat: float(rng.uniform(0, ceiling)) for seat in environment.seats}


ACTIONS: dict[str, Callable[[Environment, np.random.Generator], dict[str, Any]]] = {
    "procurement": _plan,
    "scheduling": _assignment,
    "pricing": _prices,
    "efficiency_vs_equality": _allocation,
    "collusiveness_vs_competitiveness": _market_prices,
}


@cache
def conformance_rows(name: str) -> list[dict[str, Any]]:
    path = CONFORMANCE / f"{name}.json"
    if not path.exists():
        return []
    rows: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    return rows


def conformance(name: str) -> pytest.MarkDecorator:
    """Run a test once for each conformance row; skipped with the reason where the figures are not there."""
    rows = conformance_rows(name)
    if not rows:
        return pytest.mark.parametrize(
            "row", [pytest.param(None, marks=pytest.mark.skip(f"no figures at {CONFORMANCE}"))]
        )
    return pytest.mark.parametrize("row", rows, ids=_label)


def _label(row: dict[str, Any]) -> str:
    told = ("difficulty", "seed", "generator", "case", "kind")
    return "-".join(str(row[name]) for name in told if name in row)
