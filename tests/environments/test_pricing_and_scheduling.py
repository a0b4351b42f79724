"""Pricing: nested logit demand and its optimum. Scheduling: blocking pairs, stable matchings and drawn feedback."""

import warnings
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import logsumexp

from environments.base import Environment
from environments.pricing.economics import Demand, log_sum_exp
from environments.scheduling.economics import Preferences
from environments.scheduling.environment import Scheduling, quality
from tests.environments.cast import GENERATORS, game, instance_of

SIZES = {"BASIC": 1, "MEDIUM": 4, "HARD": 10}
every_market = pytest.mark.parametrize(
    ("difficulty", "generator", "seed"), [(d, g, s) for d in SIZES for g in GENERATORS for s in (0, 1)]
)


def demand_of(difficulty, generator="published", seed=0):
    return Demand.of(instance_of("pricing", difficulty, generator, seed))


@pytest.mark.sampled
@every_market
def test_a_numerical_optimiser_reproduces_the_closed_form(difficulty, generator, seed):
    demand = demand_of(difficulty, generator, seed)
    ones = np.ones(len(demand.costs))

    def loss(markups):
        return -float(demand.profits(demand.costs + markups, ones).sum())

    found = minimize(loss, np.full(len(ones), 1.2), method="Nelder-Mead" if len(ones) == 1 else "BFGS", tol=1e-10)
    assert -found.fun == pytest.approx(demand.optimal_profit(), rel=1e-6)
    best = demand.optimal_prices(ones)
    # What hardly sells hardly matters, and the optimiser leaves its price anywhere.
    sells = demand.quantities(best, ones) > 0.5
    assert (demand.costs + found.x)[sells] == pytest.approx(best[sells], rel=1e-2)


@every_market
def test_optimal_prices_earn_the_optimal_profit_in_every_period(difficulty, generator, seed):
    instance = instance_of("pricing", difficulty, generator, seed)
    demand, reference = Demand.of(instance), instance.reference
    assert reference["optimal_profit"] == pytest.approx(demand.market_size * (demand.optimal_markup() - 1), rel=1e-15)
    for period in (0, 37, 99):
        earned = demand.profits(reference["optimal_prices"][period], instance.hidden["alphas"][period]).sum()
        assert earned == pytest.approx(reference["optimal_profit"], rel=1e-10)


@settings(max_examples=80)
@given(difficulty=st.sampled_from(sorted(SIZES)), data=st.data())
def test_no_prices_beat_the_closed_form(difficulty, data):
    demand, size = demand_of(difficulty), SIZES[difficulty]
    real = np.array(data.draw(st.lists(st.floats(-5, 50), min_size=size, max_size=size)))
    alphas = np.array(data.draw(st.lists(st.floats(0.5, 15), min_size=size, max_size=size)))
    assert demand.profits(real * alphas, alphas).sum() <= demand.optimal_profit() * (1 + 1e-12)


@pytest.mark.parametrize("price", [0, 1e9, -5, 1e-300, 1e300, 1.7e308, -1e9])
@pytest.mark.parametrize("difficulty", sorted(SIZES))
def test_extreme_prices_give_finite_answers_without_warnings(difficulty, price):
    demand, size = demand_of(difficulty), SIZES[difficulty]
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


@pytest.mark.parametrize("real", [np.linspace(2, 4, 10), np.full(10, 2.5), np.array([3] + [2.5] * 9)], ids=str)
def test_the_formula_without_logarithms_gives_the_same_values(real):
    """So demand falls in the own price and rises in the price of others."""
    demand = demand_of("HARD", seed=1)
    u = np.exp((demand.qualities - real) / 0.5)
    d = {j: u[demand.nests == j].sum() for j in set(demand.nests.tolist())}
    total = 2**0.5 + sum(value**0.5 for value in d.values())
    expected = [100 * u[i] / d[j] * d[j] ** 0.5 / total for i, j in enumerate(demand.nests.tolist())]
    assert demand.quantities(real, np.ones(10)) == pytest.approx(expected, rel=1e-12)


@given(rows=st.integers(1, 8).flatmap(lambda n: st.lists(st.tuples(*[st.floats(-1e300, 1e300)] * n), min_size=1)))
def test_log_sums_equal_those_of_scipy_bit_by_bit(rows):
    values = np.array(rows)
    assert np.array_equal(log_sum_exp(values), logsumexp(values, axis=-1))


def test_shifts_are_linear_for_even_seeds_and_periodic_for_odd_seeds():
    linear, periodic = instance_of("pricing", "HARD", "published", 0), instance_of("pricing", "HARD", "published", 1)
    assert np.abs(np.diff(linear.hidden["alphas"], n=2, axis=0)).max() < 1e-12
    length = periodic.hidden["period_length"]
    alphas = np.array(periodic.hidden["alphas"])
    assert 10 <= length <= 19 and alphas[length:] == pytest.approx(alphas[:-length])
    assert linear.hidden["period_length"] is None


def test_the_score_counts_the_last_half_and_at_most_fifty_periods():
    assert [Environment.scored_periods(periods) for periods in (1, 2, 3, 99, 100, 120)] == [1, 1, 2, 50, 50, 50]
    environment = game("pricing", periods=4)
    products = environment.instance.parameters["products"]
    for period in range(4):
        best = environment.instance.reference["optimal_prices"][period]
        environment.step(dict.fromkeys(products, 0.0) if period < 2 else dict(zip(products, best, strict=True)))
    assert environment.score(environment.instance, environment.outcomes, 4).value == pytest.approx(1.0)


@st.composite
def preferences(draw, most=6):
    n = draw(st.integers(2, most))
    rows = [draw(st.permutations(range(n))) for _ in range(2 * n)]
    return Preferences(np.array(rows[:n], dtype=np.intp), np.array(rows[n:], dtype=np.intp))


def blocking_by_definition(market, task_of):
    worker_of = {int(task): worker for worker, task in enumerate(task_of)}
    return [
        (w, t)
        for w in range(market.size)
        for t in range(market.size)
        if market.worker_rank[w, t] < market.worker_rank[w, task_of[w]]
        and market.task_rank[t, w] < market.task_rank[t, worker_of[t]]
    ]


@pytest.mark.long
@settings(max_examples=25)
@given(market=preferences())
def test_the_expected_number_of_blocking_pairs_is_the_mean_over_all_matchings(market):
    counts = [len(market.blocking_pairs(np.array(matching))) for matching in permutations(range(market.size))]
    assert market.expected_blocking_pairs() == pytest.approx(np.mean(counts), rel=1e-12)


@pytest.mark.long
@settings(max_examples=60)
@given(market=preferences(8), data=st.data())
def test_blocking_pairs_match_their_definition_in_order(market, data):
    task_of = np.array(data.draw(st.permutations(range(market.size))))
    assert market.blocking_pairs(task_of) == blocking_by_definition(market, task_of)


@pytest.mark.long
@settings(max_examples=50)
@given(market=preferences(12))
def test_deferred_acceptance_ends_in_a_matching_without_blocking_pairs(market):
    task_of = market.stable_matching()
    assert sorted(task_of.tolist()) == list(range(market.size))
    assert market.blocking_pairs(task_of) == []


@settings(max_examples=20)
@given(market=preferences(5))
def test_no_worker_prefers_another_stable_matching(market):
    best = market.stable_matching()
    for matching in permutations(range(market.size)):
        if not market.blocking_pairs(np.array(matching)):
            workers = range(market.size)
            assert all(market.worker_rank[w, best[w]] <= market.worker_rank[w, matching[w]] for w in workers)


@pytest.mark.parametrize(("difficulty", "n"), [("BASIC", 10), ("MEDIUM", 20), ("HARD", 50)])
def test_common_preferences_of_tasks_make_a_quarter_of_the_pairs_block(difficulty, n):
    expected = instance_of("scheduling", difficulty, "published", 6).reference["expected_blocking_pairs"]
    assert expected == pytest.approx(n * (n - 1) / 4)


def test_scores_can_be_negative_and_a_stable_matching_scores_1():
    assert (quality(30, 20.0), quality(0, 20.0), quality(0, 0.0)) == (-0.5, 1.0, 1.0)


def test_a_stable_matching_ends_the_run():
    environment = game("scheduling", "BASIC")
    task_of = Preferences.of(environment.instance).stable_matching()
    parameters = environment.instance.parameters
    action = {worker: parameters["tasks"][t] for worker, t in zip(parameters["workers"], task_of, strict=True)}
    outcome = environment.step(environment.parse_action(action))
    assert outcome.ended and environment.finished and outcome.result["feedback"] == []
    score = environment.score(environment.instance, environment.outcomes)
    assert (score.value, score.solved) == (1.0, True)


@pytest.mark.parametrize("generator", GENERATORS)
def test_a_repeated_matching_gets_the_same_feedback(generator):
    environment = game("scheduling", "HARD", generator)
    rng = np.random.default_rng(0)
    parameters = environment.instance.parameters
    actions = [
        dict(zip(parameters["workers"], rng.permutation(parameters["tasks"]).tolist(), strict=True)) for _ in range(3)
    ]
    first = [environment.step(action).result["feedback"] for action in actions]
    again = [environment.step(action).result["feedback"] for action in actions[::-1]]
    assert again == first[::-1]
    assert all(len(shown) == 5 for shown in first)


def test_all_blocking_pairs_are_reported_if_there_are_few():
    environment = game("scheduling")
    assert isinstance(environment, Scheduling)
    rng = np.random.default_rng(3)
    for _ in range(40):
        tasks = rng.permutation(environment.tasks).tolist()
        result = environment.step(dict(zip(environment.workers, tasks, strict=True))).result
        assert len(result["feedback"]) == min(2, result["blocking_pairs"])
        assert all(pair in result["pairs"] for pair in result["feedback"])
