"""Variants in which the world changes at a stated period: their instances, optima, scores, recovery and replays."""

import hashlib
import json
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from agents.baselines.registry import BASELINES
from agents.episode import play_baseline
from environments.base import Outcome
from environments.findings import FinishedRun
from environments.generation import GENERATORS, RANKED, Recipe
from environments.pricing.economics import Demand
from environments.procurement.economics import Menu, workers
from environments.procurement.optimum import optimum_at, solve
from environments.registry import (
    ATTEMPTS,
    ENVIRONMENTS,
    GENERATION,
    evaluate_run,
    generate,
    is_final,
    under,
    variant_labels,
    variant_of,
    variant_with,
)
from environments.scheduling.economics import Preferences
from environments.shocks import FEWEST_PERIODS, OURS, PERIOD, recovery, without_shock
from tests.environments.cast import act, every_plan, market_instance, offers, random_action, small_settings

BUDGET, EFFECT = ("procurement", "shock_budget"), ("procurement", "shock_effectiveness")
LISTS, PRICES = ("scheduling", "shock_preferences"), ("pricing", "shock_sensitivity")
SHOCKS = [BUDGET, EFFECT, LISTS, PRICES]
every_shock = pytest.mark.parametrize(("name", "variant"), SHOCKS)

UNCHANGED = {
    "procurement": "2d6c0b7c6fecb790",
    "scheduling": "d7dd8d04f65b6f38",
    "pricing": "b11882617930208e",
    "efficiency_vs_equality": "4bd1e23daaac3032",
    "collusiveness_vs_competitiveness": "44f345609ede44c9",
    "patience_vs_impatience": "49cc4493bff3869b",
}
"""Digests of the content hashes of 36 seeds in every difficulty and generator, from before there were shocks."""


def shocked(name, variant, seed=0, generator="published"):
    return generate(name, "CUSTOM", seed, generator, variant=variant, settings=small_settings(name))


@pytest.mark.sampled
@pytest.mark.parametrize("name", UNCHANGED)
def test_instances_without_a_shock_are_as_they_were(name):
    digest = hashlib.sha256()
    for generator in GENERATORS:
        for difficulty in GENERATION[name].difficulties:
            for seed in range(36):
                instance = generate(name, difficulty, seed, generator, with_reference=False)
                digest.update(instance.content_hash.encode())
    assert digest.hexdigest()[:16] == UNCHANGED[name]


def test_shocks_are_declared_as_ours_everywhere():
    declared = {(name, v) for name, one in ENVIRONMENTS.items() for v, each in one.variants.items() if each.settings}
    assert declared == set(SHOCKS)
    for name, variant in SHOCKS:
        each = variant_of(name, variant)
        assert OURS in each.description and OURS in each.label and OURS in dict(variant_labels())[variant]
        assert each.fewest_periods == FEWEST_PERIODS and each.settings["shock_period"] == PERIOD


@every_shock
@pytest.mark.parametrize("generator", [*GENERATORS, RANKED])
def test_a_shock_has_its_own_instance_with_the_draws_of_the_usual_one(name, variant, generator):
    usual = generate(name, "CUSTOM", 3, generator, settings=small_settings(name))
    instance = shocked(name, variant, 3, generator)
    assert instance.content_hash != usual.content_hash
    if name != "pricing":  # whose drift the shock replaces
        assert without_shock(instance).content_hash == usual.content_hash
    assert {k: v for k, v in instance.parameters.items() if k != "price_ceilings"} == {
        k: v for k, v in usual.parameters.items() if k != "price_ceilings"
    }
    assert instance.content_hash == shocked(name, variant, 3, generator).content_hash
    assert (variant_with(name, instance.settings), variant_with(name, usual.settings)) == (variant, "main")


@every_shock
def test_an_own_prompt_plays_the_instance_of_its_variant(name, variant):
    recipe = Recipe(name, "BASIC", 0, "published", dict(GENERATION[name].difficulties["BASIC"]))
    assert under(f"{variant}+concise", recipe) == under(variant, recipe) != recipe == under("main+concise", recipe)
    stored = json.loads(json.dumps(under(variant, recipe).settings, sort_keys=True))
    assert list(GENERATION[name].ordered(stored)) == list(under(variant, recipe).settings)


@settings(max_examples=25)
@given(
    menu=st.lists(offers, min_size=1, max_size=3), budget=st.integers(10, 40), item=st.sampled_from(["", "A2", "B1"])
)
def test_exhaustive_search_confirms_the_optimum_after_a_shock_of_procurement(menu, budget, item):
    shock = {"effectiveness": {item: 0}} if item else {"budget_cents": round(0.6 * budget)}
    usual = market_instance(menu, budget)
    instance = replace(usual, settings={"shock_period": PERIOD}, hidden=usual.hidden | {"shock": shock})
    reference = GENERATION["procurement"].reference(instance)
    for key, period in (("optimum", PERIOD - 1), ("optimum_after", PERIOD)):
        world = Menu.of(instance, period)
        most = max(workers(world.category_sums(plan)) for plan in every_plan(world, world.budget_cents))
        assert reference[key]["proven"] and reference[key]["workers"] == pytest.approx(most, rel=1e-12)
        assert world.is_feasible(reference[key]["plan"])


def test_a_budget_falls_by_40_percent_and_a_product_of_the_best_offer_loses_its_effect():
    before, after = Menu.of(shocked(*BUDGET)), Menu.of(shocked(*BUDGET), PERIOD)
    assert after.budget_cents == round(0.6 * before.budget_cents) and after.effectiveness == before.effectiveness
    usual, weakened = Menu.of(shocked(*EFFECT)), Menu.of(shocked(*EFFECT), PERIOD)
    changed = [item for item, value in weakened.effectiveness.items() if value != usual.effectiveness[item]]
    assert len(changed) == 1 and weakened.effectiveness[changed[0]] == 0
    assert weakened.budget_cents == usual.budget_cents


@pytest.mark.long
def test_the_weakened_product_is_bought_by_most_optimal_plans():
    bought = 0
    for seed in range(12):
        instance = generate("procurement", "BASIC", seed, variant="shock_effectiveness")
        (item,) = instance.hidden["shock"]["effectiveness"]
        best = optimum_at(instance, 0)["plan"]
        bought += any(best.get(offer.id) and item in offer.contents for offer in Menu.of(instance).offers)
    assert bought >= 9


def test_a_reference_is_final_only_if_both_optima_are_proven():
    instance = shocked(*BUDGET)
    assert is_final("procurement", instance.reference)
    unproven = instance.reference | {"optimum_after": solve(instance, 0.0, PERIOD).as_json()}
    assert not is_final("procurement", unproven)
    assert is_final("procurement", ATTEMPTS["procurement"].solve(instance, 60.0))
    game = ENVIRONMENTS["procurement"](replace(instance, reference=unproven))
    for _ in range(PERIOD + 1):
        game.step(game.parse_action("{}"))
    assert game.outcomes[0].quality is not None and game.outcomes[PERIOD].quality is None
    assert "not proven" in game.score(game.instance, game.outcomes).note


@pytest.mark.parametrize("seed", range(6))
def test_two_workers_get_new_lists_that_make_the_stable_matching_unstable(seed):
    instance = shocked(*LISTS, seed)
    before, after = Preferences.of(instance), Preferences.of(instance, PERIOD)
    assert (before.task_rank == after.task_rank).all()
    assert 1 <= (before.worker_rank != after.worker_rank).any(axis=1).sum() <= 2
    assert len(instance.hidden["shock"]["worker_preferences"]) == 2
    assert after.blocking_pairs(before.stable_matching())
    stable = [m for m in permutations(range(after.size)) if not after.blocking_pairs(np.array(m))]
    assert tuple(after.stable_matching().tolist()) in stable
    counts = [len(after.blocking_pairs(np.array(m))) for m in permutations(range(after.size))]
    assert instance.reference["expected_blocking_pairs_after"] == pytest.approx(np.mean(counts), rel=1e-12)


@pytest.mark.parametrize(("seed", "factor"), [(0, 1.5), (1, 1 / 1.5)])
def test_optimal_prices_jump_once_and_a_numerical_optimiser_confirms_them(seed, factor):
    instance = generate("pricing", "BASIC", seed, variant="shock_sensitivity")
    prices = np.array(instance.reference["optimal_prices"])
    assert (prices[:PERIOD] == prices[0]).all() and (prices[PERIOD:] == prices[-1]).all()
    assert prices[-1] == pytest.approx(factor * prices[0])
    demand = Demand.of(instance)
    for period in (0, PERIOD):
        alphas = instance.hidden["alphas"][period]
        best = minimize_scalar(lambda p, a=alphas: -demand.profits([p], a).sum(), bounds=(0, 100), method="bounded")
        assert best.x == pytest.approx(prices[period][0], rel=1e-4)
        assert -best.fun == pytest.approx(instance.reference["optimal_profit"], rel=1e-8)
    ceilings = instance.parameters["price_ceilings"]
    assert len(set(ceilings)) == 1 and ceilings[0] >= 1.49 * prices.max()


@every_shock
def test_the_optimum_plays_both_worlds_perfectly_and_loses_nothing(name, variant):
    instance = shocked(name, variant)
    game = play_baseline(BASELINES["optimum"], instance, ENVIRONMENTS[name], variant=variant)
    assert all(outcome.quality == pytest.approx(1.0) for outcome in game.outcomes)
    score, metrics = game.score(instance, game.outcomes, 100, variant), game.metrics(instance, game.outcomes)
    assert score.value == pytest.approx(1.0) and metrics.get("solved", True)
    assert metrics["recovery"] == pytest.approx(1.0) and metrics["periods_to_regain"] == 1


@pytest.mark.sampled
@every_shock
def test_every_baseline_plays_a_shock(name, variant):
    for slug, baseline in BASELINES.items():
        if name in baseline.environments:
            game = play_baseline(baseline, shocked(name, variant), ENVIRONMENTS[name], variant=variant)
            assert game.finished and game.period > PERIOD, slug
            assert game.score(game.instance, game.outcomes, 100, variant).value <= 1 + 1e-12


@every_shock
def test_the_prompts_are_those_of_main_and_do_not_announce_a_shock(name, variant):
    instance = shocked(name, variant)
    game, main = ENVIRONMENTS[name](instance, variant=variant), ENVIRONMENTS[name](instance)
    assert game.prompts.version == main.prompts.version and game.tools() == main.tools()
    assert (game.system_prompt(), game.initial_prompt()) == (main.system_prompt(), main.initial_prompt())
    texts = " ".join([game.system_prompt(), game.initial_prompt(), *(tool.description for tool in game.tools())])
    assert "shock" not in texts and "shock" not in str(instance.parameters)


def test_the_budget_tool_tells_the_new_budget_and_the_history_keeps_the_old_one():
    game = ENVIRONMENTS["procurement"](shocked(*BUDGET))
    dear = dict.fromkeys(game.menu.by_id, 10**6)
    first = game.call("get_budget")
    for _ in range(PERIOD):
        game.step(game.parse_action(dear))
    assert float(game.call("get_budget")) == pytest.approx(0.6 * float(first), abs=0.01)
    game.step(game.parse_action(dear))
    lines = [line for line in game.history("seat_0").split("\n") if "over the budget" in line]
    assert [first in line for line in lines] == [True] * PERIOD + [False]


def test_a_stable_matching_ends_a_run_only_after_the_shock():
    instance = shocked(*LISTS)
    game = ENVIRONMENTS["scheduling"](instance)
    names = instance.parameters
    old, new = (
        {names["workers"][w]: names["tasks"][t] for w, t in enumerate(Preferences.of(instance, p).stable_matching())}
        for p in (0, PERIOD)
    )
    for _ in range(PERIOD + 5):
        game.step(game.parse_action(old))
    assert not game.finished and game.outcomes[0].result["stable"] and not game.outcomes[-1].result["stable"]
    game.step(game.parse_action(new))
    assert game.finished
    metrics = game.metrics(instance, game.outcomes)
    assert (metrics["periods_to_stability"], metrics["periods_to_next_stability"]) == (1, 6)
    assert game.score(instance, game.outcomes).value == pytest.approx(1 - 5 / 50)


@every_shock
@settings(max_examples=4, deadline=None)
@given(seed=st.integers(0, 50), cut=st.integers(PERIOD - 3, PERIOD + 8))
def test_a_run_rebuilt_from_its_outcomes_goes_on_as_if_it_had_not_stopped(name, variant, seed, cut):
    instance = shocked(name, variant, seed % 3)
    whole = ENVIRONMENTS[name](instance, variant=variant, periods=PERIOD + 10)
    while not whole.finished:
        # Few different actions, so that some come again after the shock.
        act(whole, random_action(whole, np.random.default_rng([seed, whole.period % 4])))
    stored = [Outcome(**json.loads(json.dumps(vars(outcome)))) for outcome in whole.outcomes[:cut]]
    rebuilt = ENVIRONMENTS[name](instance, stored, variant=variant, periods=PERIOD + 10)
    for outcome in whole.outcomes[cut:]:
        act(rebuilt, outcome.action)
    assert rebuilt.outcomes == whole.outcomes and rebuilt.history("seat_0") == whole.history("seat_0")


def path(qualities, ended=False):
    last = len(qualities) - 1
    return [Outcome(i, {}, {}, quality, ended and i == last) for i, quality in enumerate(qualities)]


def test_recovery_compares_20_periods_after_with_20_before():
    instance = shocked(*PRICES)
    met = recovery(instance, path([0.0] * 30 + [0.8] * 20 + [0.2] * 10 + [0.8] * 40))
    assert met["recovery"] == pytest.approx(0.5 / 0.8) and met["periods_to_regain"] == 11
    assert recovery(instance, path([0.8] * 50 + [0.4] * 4, ended=True))["recovery"] == pytest.approx(17.6 / 20 / 0.8)
    nothing = {"recovery": None, "periods_to_regain": None}
    for short in ([0.8] * 69, [0.1] * 100, [0.8] * 60 + [None] * 40, []):
        assert recovery(instance, path(short)) == nothing
    assert recovery(without_shock(instance), path([0.5] * 100)) == {}


@every_shock
def test_findings_do_not_blame_the_agent_for_the_shock(name, variant):
    instance = shocked(name, variant)
    stubborn = ENVIRONMENTS[name](instance, variant=variant)
    best = play_baseline(BASELINES["optimum"], instance, ENVIRONMENTS[name], variant=variant).outcomes[0].action
    while not stubborn.finished:
        act(stubborn, best)
    found = evaluate_run(FinishedRun(instance, stubborn.outcomes, 100, variant))
    blames = {"heavy_loss", "no_improvement", "ended_below_best", "price_unchanged", "profit_fell", "budget_unspent"}
    assert not blames & {finding.rule for finding in found.findings}
