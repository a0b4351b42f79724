"""What baselines read out of printed tool answers is what was printed."""

from __future__ import annotations

import numpy as np
import pytest

from agents.baselines import reading
from agents.baselines.forecasting import forecast
from agents.baselines.shopping import cost_cents, covered, filled, random_cover
from environments.procurement.economics import Market
from environments.registry import ENVIRONMENTS, generate
from tests.environments.cast import game, random_action


@pytest.mark.parametrize("difficulty", ["BASIC", "MEDIUM", "HARD"])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_menu_is_read_whole(difficulty: str, seed: int) -> None:
    instance = generate("procurement", difficulty, seed, with_reference=False)
    market = Market.of(instance)
    offers = reading.menu(ENVIRONMENTS["procurement"](instance).call("get_equipment_information"))
    assert len(offers) == len(market.offers)
    for read, offer in zip(offers, market.offers, strict=True):
        assert (read.id, read.price_cents, read.contents) == (offer.id, offer.price_cents, offer.contents)
        assert (read.upfront_cents, read.minimum) == (offer.upfront_cents or 0, offer.min_quantity or 1)
        assert read.cost_cents(9) == offer.cost_cents(9)
        most = read.most(market.budget_cents)
        assert offer.cost_cents(most) <= market.budget_cents and not offer.misses_minimum(most)


def test_purchases_are_read_back_with_invalid_ones_marked() -> None:
    environment = game("procurement", "BASIC")
    for plan in ({"Offer_4": 1, "Offer_9": 1, "Offer_11": 1}, {"Offer_2": 1}, {}):
        environment.step(environment.parse_action(plan))
    first, second, third = reading.purchases(environment.call("get_previous_purchase_data"))
    assert first.plan == {"Offer_4": 1, "Offer_9": 1, "Offer_11": 1} and first.workers is not None
    assert (second.plan, second.workers) == ({"Offer_2": 1}, None)
    assert (third.plan, third.workers) == ({}, 0.0)


def test_the_last_assignment_is_read_with_its_problems() -> None:
    environment = game("scheduling", "HARD")
    assert reading.last_assignment(environment.call("get_previous_attempts_data")) is None
    rng = np.random.default_rng(0)
    for _ in range(3):
        outcome = environment.step(environment.parse_action(random_action(environment, rng)))
    last = reading.last_assignment(environment.call("get_previous_attempts_data"))
    assert last is not None and last.assignment == outcome.action
    assert [list(pair) for pair in last.problems] == outcome.result["feedback"]


def test_sales_are_read_to_two_decimals() -> None:
    environment = game("pricing", "HARD")
    for price in (10.0, 123456.789):
        prices = dict.fromkeys(environment.instance.parameters["products"], price)
        outcome = environment.step(environment.parse_action(prices))
    history = reading.sales(environment.call("get_previous_pricing_data"))
    assert len(history) == 2 and list(history[1]) == environment.instance.parameters["products"]
    for product, sale in history[1].items():
        assert sale.price == 123456.79
        assert sale.quantity == round(outcome.result["quantities"][product], 2)
        assert sale.profit == pytest.approx(outcome.result["profits"][product], abs=0.005001)


@pytest.mark.parametrize("seed", range(6))
def test_random_plans_cover_every_category_within_the_budget(seed: int) -> None:
    instance = generate("procurement", "MEDIUM", seed, with_reference=False)
    market = Market.of(instance)
    offers = reading.menu(ENVIRONMENTS["procurement"](instance).call("get_equipment_information"))
    rng = np.random.default_rng(seed)
    plan = filled(random_cover(offers, market.budget_cents, rng), offers, market.budget_cents, rng, kinds=2)
    assert covered(plan, offers) == {"A", "B", "C", "D", "E"}
    assert market.is_feasible(plan)
    assert cost_cents(plan, offers) == market.cost_cents(plan)


def test_a_line_and_a_wave_are_told_apart_and_carried_on() -> None:
    t = np.arange(30)[:, None]
    line = np.hstack([5 + 0.02 * t, 3 - 0.01 * t])
    wave = np.hstack([5 + 2 * np.sin(2 * np.pi * t / 13), 3 + 1 * np.sin(2 * np.pi * t / 13)])
    trust = np.ones((29, 2))
    assert forecast(line[:29], trust)[0] == pytest.approx(line[29], rel=1e-3)
    values, shape = forecast(wave[:29], trust)
    assert values == pytest.approx(wave[29], rel=1e-3) and shape == "a cycle of 13 periods"
    assert forecast(line[:1], trust[:1])[1] == "no drift"
