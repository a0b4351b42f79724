"""The best constant price: at least as good as every other constant price, and at most as good as moving prices."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.pricing.economics import Demand
from environments.registry import generate

sigmas = st.sampled_from([0.0, 0.3, 0.5, 0.8])


def demand(rng, products, sigma):
    """Products in up to two nests, with values from the ranges of the generator."""
    return Demand(
        qualities=rng.uniform(2, 3, products), costs=rng.uniform(1, 2, products), nests=1 + np.arange(products) % 2,
        sigma=sigma, market_size=100.0, outside_weight=1.4,
    )  # fmt: skip


def path(rng, products, periods):
    """α as the generator moves it, along a line or a sine of half its size."""
    start, t = rng.uniform(1, 10, products), np.arange(periods)[:, None]
    swing = start * rng.uniform(0.25, 0.5, products)
    return start + (swing * np.sin(2 * np.pi * t / 14) if rng.random() < 0.5 else swing * t / periods)


def total(market, prices, alphas):
    return float(market.total_profits(np.broadcast_to(prices, alphas.shape), alphas)[0].sum())


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), sigma=sigmas)
def test_no_price_of_a_fine_grid_earns_more_with_one_product(seed, sigma):
    rng = np.random.default_rng(seed)
    market, alphas = demand(rng, 1, sigma), path(rng, 1, 40)
    optimal = market.optimal_prices(alphas)
    grid = np.linspace(0.5 * optimal.min(), 1.5 * optimal.max(), 500)
    best = max(float(market.profits(np.full_like(alphas, price), alphas).sum()) for price in grid)
    constant = market.best_constant_prices(alphas)
    assert total(market, constant, alphas) >= best * (1 - 1e-7)
    assert optimal.min() * (1 - 1e-3) <= constant[0] <= optimal.max() * (1 + 1e-3)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), sigma=sigmas, products=st.integers(2, 6))
def test_no_other_constant_prices_earn_more_with_several_products(seed, sigma, products):
    rng = np.random.default_rng(seed)
    market, alphas = demand(rng, products, sigma), path(rng, products, 30)
    constant = market.best_constant_prices(alphas)
    earned = total(market, constant, alphas)
    assert earned <= len(alphas) * market.optimal_profit() * (1 + 1e-9)
    others = [constant * np.exp(rng.normal(0, size, products)) for size in (0.003, 0.05, 0.4) for _ in range(60)]
    others += list(market.optimal_prices(alphas))
    assert earned >= max(total(market, prices, alphas) for prices in others) * (1 - 1e-7)


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 10**6), sigma=sigmas)
def test_the_derivative_of_the_profit_is_that_of_small_steps(seed, sigma):
    rng = np.random.default_rng(seed)
    market, alphas = demand(rng, 4, sigma), path(rng, 4, 3)
    prices = market.optimal_prices(alphas) * np.exp(rng.normal(0, 0.2, alphas.shape))
    totals, slopes = market.total_profits(prices, alphas)
    assert totals == pytest.approx(market.profits(prices, alphas).sum(axis=-1))
    for product in range(4):
        step = np.zeros_like(prices)
        step[:, product] = 1e-5
        ends = [market.total_profits(prices + sign * step, alphas)[0] for sign in (1, -1)]
        assert (ends[0] - ends[1]) / 2e-5 * alphas[:, product] == pytest.approx(slopes[:, product], rel=1e-4, abs=1e-5)


def test_it_earns_the_optimum_where_demand_stands_still():
    instance = generate("pricing", "HARD", 0)
    market, alphas = Demand.of(instance), np.tile(instance.hidden["alphas"][0], (10, 1))
    constant = market.best_constant_prices(alphas)
    assert constant == pytest.approx(market.optimal_prices(alphas)[0], rel=1e-3)
    assert total(market, constant, alphas) == pytest.approx(10 * market.optimal_profit())
