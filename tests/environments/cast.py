"""The shared cast of the environment tests: small instances, random valid actions, the conformance figures."""

import json
from functools import cache, partial
from pathlib import Path

import pytest
from hypothesis import strategies as st

from agents.baselines.random_actions import TOOL_ENVIRONMENTS, Random
from agents.baselines.registry import BASELINES
from environments.base import Instance
from environments.generation import RANKED
from environments.registry import ENVIRONMENTS, GENERATION, generate
from environments.survey import Survey

CONFORMANCE = Path(__file__).resolve().parents[2].parent / "shared" / "conformance"
GENERATORS = ("published", "paper_text")

SMALL = {
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
] + [(name, "CUSTOM", RANKED) for name in ENVIRONMENTS if GENERATION[name].can_be_sealed]
SURVEYS = [name for name, environment in ENVIRONMENTS.items() if issubclass(environment, Survey)]
"""Environments without tools and notes: what a test says of these is not about them."""


def small_settings(name):
    """Settings of a small instance; those of the first difficulty for an environment without an entry in SMALL."""
    return SMALL.get(name) or dict(next(iter(GENERATION[name].difficulties.values())))


def fresh_instance(name, difficulty, generator="published", seed=0):
    """An instance; that of the hardest procurement comes without its optimum, which takes seconds."""
    settings = small_settings(name) if difficulty == "CUSTOM" else None
    easy = not (name == "procurement" and difficulty == "HARD")
    return generate(name, difficulty, seed, generator, settings=settings, with_reference=easy)


instance_of = cache(fresh_instance)


def game(name, difficulty="CUSTOM", generator="published", seed=0, **options):
    return ENVIRONMENTS[name](instance_of(name, difficulty, generator, seed), **options)


class Chance(Random):
    """The random baseline with numbers of a test's choice."""

    def __init__(self, rng, *place):
        super().__init__(*place)
        self.rng = lambda period, key="": rng


def random_action(environment, rng):
    """A valid action of the current period as `parse_joint` takes it: random, or that of the first baseline."""
    if isinstance(environment, Survey):
        replies = {question: f"<answer>{rng.choice(['A', 'B', 'C'])}</answer>" for question in environment.questions()}
        return environment.tally({asked.key: environment.read_answer(asked, text) for asked, text in replies.items()})
    known = environment.name in TOOL_ENVIRONMENTS
    chosen = (
        partial(Chance, rng) if known else next(b for b in BASELINES.values() if environment.name in b.environments)
    )
    actions = {}
    for seat in environment.seats:
        play = chosen(environment.instance, type(environment), seat).play(environment.period)
        name, arguments = next(play)
        while name != environment.action_tool:
            name, arguments = play.send("" if name == "write_notes" else environment.call(name, seat))
        actions[seat] = environment.parse_action(arguments[environment.action_argument], seat)
    return environment.joint_action(actions)


def act(environment, raw):
    return environment.step(environment.parse_joint(raw))


def conformance(*names):
    """Run a test once for each conformance row; skipped with the reason where the figures are not there."""
    files = [path for name in names if (path := CONFORMANCE / f"{name}.json").exists()]
    rows = [row for path in files for row in json.loads(path.read_text(encoding="utf-8"))]
    missing = pytest.param(None, marks=pytest.mark.skip(f"no figures at {CONFORMANCE}"))
    return pytest.mark.parametrize("row", rows or [missing], ids=_label if rows else None)


def _label(row):
    told = ("environment", "difficulty", "seed", "generator", "case", "kind")
    return "-".join(str(row[name]) for name in told if name in row)


def survey(variant="main", generator="published", **options):
    return game("patience_vs_impatience", "STANDARD", generator, variant=variant, **options)


def counted(cell, later, invalid=0):
    asked = len(cell.flips)
    extra = {"rate": cell.rate} if cell.rate else {"name": cell.name} if cell.name else {}
    counts = {"later": later, "now": asked - later - invalid, "invalid": invalid}
    return {"horizon": cell.horizon.label, "amount": cell.amount} | extra | counts


ITEMS = {"A1": 1, "A2": 3, "B1": 2, "B2": 1}


def market_instance(offers, budget_cents):
    for number, offer in enumerate(offers, start=1):
        offer["id"] = f"Offer_{number}"
    categories = [["A1", "A2"], ["B1", "B2"]]
    parameters = {"offers": offers, "categories": categories, "budget_cents": budget_cents}
    return Instance("procurement", "CUSTOM", 0, "published", {}, parameters, {"effectiveness": ITEMS})


def offer_of(kind, contents, price, extra=None):
    """An offer; `extra` is its upfront cost or its minimum quantity."""
    upfront, minimum = extra if kind == "two_part_tariff" else None, extra if kind == "bulk_only" else None
    money = {"price_cents": price, "upfront_cents": upfront, "min_quantity": minimum}
    return {"kind": kind, "contents": contents} | money


offers = st.builds(
    offer_of,
    st.sampled_from(["simple", "two_part_tariff", "bulk_only"]),
    st.dictionaries(st.sampled_from(sorted(ITEMS)), st.integers(1, 5), min_size=1, max_size=3),
    st.integers(3, 9),
    st.integers(2, 6),
)


def every_plan(menu, budget_cents, index=0):
    if index == len(menu.offers):
        yield {}
        return
    offer = menu.offers[index]
    quantity = 0
    while (cost := offer.cost_cents(quantity)) <= budget_cents and quantity <= budget_cents:
        if not offer.misses_minimum(quantity):
            for rest in every_plan(menu, budget_cents - cost, index + 1):
                yield {offer.id: quantity, **rest}
        quantity += 1
