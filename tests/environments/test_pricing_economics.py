"""Nested logit demand and the closed form of its optimum."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from environments.pricing.economics import Demand
from environments.pricing.environment import scored_periods
from tests.environments.cast import game, instance_of

SIZES = {"BASIC": 1, "MEDIUM": 4, "HARD": 10}
every_market = pytest.mark.parametrize(
    ("difficulty", "generator", "seed"),
    [(d, g, s) for d in SIZES for g in ("published", "paper_text") for s in (0, 1, 5)],
)


def demand_of(difficulty: str, generator: str = "published", seed: int = 0) -> Demand:
    return Demand.of(instance_of("pricing", difficulty, generator, seed))


@every_market
def test_a_numerical_optimiser_finds_the_closed_form(difficulty: str, generator: str, seed: int) -> None:
    demand = demand_of(difficulty, generator, seed)
    ones = np.ones(len(demand.costs))

    def loss(markups: Any) -> float:
        return -float(demand.profits(demand.costs + markups, ones).sum())

    found = minimize(loss, np.full(len(ones), 1.2), method="Nelder-Mead" if len(ones) == 1 else "BFGS", tol=1e-10)
    assert -found.fun == pytest.approx(demand.optimal_profit(), rel=1e-6)
    best = demand.optimal_prices(ones)
    # What hardly sells hardly matters, and the optimiser leaves its price anywhere.
    sells = demand.quantities(best, ones) > 0.5
    assert (demand.costs + found.x)[sells] == pytest.approx(best[sells], rel=1e-2)


@every_market
def test_optimal_prices_earn_the_optimal_profit_in_every_period(difficulty: str, generator: str, seed: int) -> None:
    instance = instance_of("pricing", difficulty, generator, seed)
    demand, reference = Demand.of(instance), instance.reference
    assert reference["optimal_profit"] == pytest.approx(demand.market_size * (demand.optimal_markup() - 1), rel=1e-15)
    for period in (0, 37, 99):
        earned = demand.profits(reference["optimal_prices"][period], instance.hidden["alphas"][period]).sum()
        assert earned == pytest.approx(reference["optimal_profit"], rel=1e-10)


@settings(max_examples=150, deadline=None)
@given(difficulty=st.sampled_from(sorted(SIZES)), data=st.data())
def test_no_prices_beat_the_closed_form(difficulty: str, data: st.DataObject) -> None:
    demand = demand_of(difficulty)
    size = SIZES[difficulty]
    real = np.array(data.draw(st.lists(st.floats(-5, 50), min_size=size, max_size=size)))
    alphas = np.array(data.draw(st.lists(st.floats(0.5, 15), min_size=size, max_size=size)))
    assert demand.profits(real * alphas, alphas).sum() <= demand.optimal_profit() * (1 + 1e-12)


@pytest.mark.parametrize("price", [0, 1e9, -5, 1e-300, 1e300, 1.7e308, -1e9])
@pytest.mark.parametrize("difficulty", sorted(SIZES))
def test_extreme_prices_give_finite_answers_without_warnings(difficulty: str, price: float) -> None:
    demand = demand_of(difficulty)
    size = SIZES[difficulty]
    mixed = [price] + [20.0] * (size - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for prices in ([price] * size, mixed):
            quantities, profits = demand.quantities(prices, [2.0] * size), demand.profits(prices, [2.0] * size)
            assert np.isfinite(quantities).all() and np.isfinite(profits).all()
            assert (quantities >= 0).all() and quantities.sum() <= demand.market_size * (1 + 1e-12)
    if price >= 1e9:
        assert demand.quantities(mixed, [2.0] * size)[0] < 1e-300
        assert abs(demand.profits(mixed, [2.0] * size)[0]) < 1e-9


def test_demand_falls_in_the_own_price_and_rises_in_the_price_of_others() -> None:
    demand = demand_of("HARD")
    before = demand.quantities(np.full(10, 5.0), np.full(10, 2.0))
    after = demand.quantities([6.0] + [5.0] * 9, np.full(10, 2.0))
    assert after[0] < before[0] and (after[1:] > before[1:]).all()


def test_the_formula_without_logarithms_gives_the_same() -> None:
    demand = demand_of("HARD", seed=1)
    real = np.linspace(2, 4, 10)
    u = np.exp((demand.qualities - real) / 0.5)
    d = {j: u[demand.nests == j].sum() for j in set(demand.nests.tolist())}
    total = 2**0.5 + sum(value**0.5 for value in d.values())
    expected = [100 * u[i] / d[j] * d[j] ** 0.5 / total for i, j in enumerate(demand.nests.tolist())]
    assert demand.quantities(real, np.ones(10)) == pytest.approx(expected, rel=1e-12)


def test_shifts_are_linear_for_even_seeds_and_periodic_for_odd_ones() -> None:
    linear, periodic = instance_of("pricing", "HARD", "published", 0), instance_of("pricing", "HARD", "published", 1)
    assert np.abs(np.diff(linear.hidden["alphas"], n=2, axis=0)).max() < 1e-12
    length = periodic.hidden["period_length"]
    alphas = np.array(periodic.hidden["alphas"])
    assert 10 <= length <= 19 and alphas[length:] == pytest.approx(alphas[:-length])
    assert linear.hidden["period_length"] is None


def test_the_last_half_counts_and_at_most_fifty_periods() -> None:
    assert [scored_periods(periods) for periods in (1, 2, 3, 99, 100, 120)] == [1, 1, 2, 50, 50, 50]
    environment = game("pricing", periods=4)
    products = environment.instance.parameters["products"]
    for period in range(4):
        best = environment.instance.reference["optimal_prices"][period]
        environment.step(dict.fromkeys(products, 0.0) if period < 2 else dict(zip(products, best, strict=True)))
    assert environment.score(environment.instance, environment.outcomes, 4).value == pytest.approx(1.0)
