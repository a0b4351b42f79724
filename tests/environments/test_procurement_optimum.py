"""The proven optimum of procurement: no plan beats it, and no input breaks the solver."""

from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.base import Instance
from environments.procurement.economics import Menu, log_value, workers
from environments.procurement.environment import Procurement, share_of_optimum
from environments.procurement.optimum import GAP, reference_of, solve
from environments.registry import generate
from tests.environments.cast import SMALL, every_plan, market_instance, offer_of, offers


@pytest.mark.long
@settings(max_examples=40)
@given(menu=st.lists(offers, min_size=1, max_size=4), budget_cents=st.integers(-1, 40))
def test_exhaustive_search_confirms_the_optimum(menu, budget_cents):
    instance = market_instance(menu, budget_cents)
    menu, optimum = Menu.of(instance), solve(instance)
    most = 0.0
    for plan in every_plan(menu, budget_cents):
        sums = menu.category_sums(plan)
        most = max(most, workers(sums))
        assert share_of_optimum(sums, menu.category_sums(optimum.plan)) <= 1.0
    assert optimum.proven
    assert optimum.workers == pytest.approx(most, rel=1e-12)
    assert optimum.cost_cents == menu.cost_cents(optimum.plan) <= max(budget_cents, 0)


@cache
def solved(seed):
    return generate("procurement", "CUSTOM", seed, settings=SMALL["procurement"] | {"products": 12, "categories": 3})


@pytest.mark.parametrize("seed", range(3))
def test_the_proof_holds_in_integer_arithmetic(seed):
    instance = solved(seed)
    menu, optimum = Menu.of(instance), instance.reference["optimum"]
    assert optimum["proven"] and menu.is_feasible(optimum["plan"])
    assert optimum["cost_cents"] == menu.cost_cents(optimum["plan"])
    assert optimum["log_value"] == log_value(menu.category_sums(optimum["plan"]))
    assert optimum["log_bound"] - optimum["log_value"] <= GAP
    assert optimum["workers"] == workers(menu.category_sums(optimum["plan"]))


def test_the_optimum_scores_exactly_1_and_a_smaller_plan_scores_less():
    instance = solved(0)
    environment = Procurement(instance)
    plan = instance.reference["optimum"]["plan"]
    assert environment.step(environment.parse_action(str(plan))).quality == 1.0
    smaller = plan | {max(plan, key=lambda offer: plan[offer]): 0}
    assert (environment.step(environment.parse_action(smaller)).quality or 0.0) < 1.0
    score = environment.score(instance, environment.outcomes)
    assert score.value == 1.0 and score.solved


@pytest.mark.parametrize(("best", "almost"), [((10**9, 10**9), (10**9, 10**9 - 1)), ((10**40, 3), (10**40 - 1, 3))])
def test_rounding_never_solves_an_instance_with_a_plan_below_the_optimum(best, almost):
    assert share_of_optimum(almost, best) < 1.0
    assert share_of_optimum(best, best) == 1.0
    assert share_of_optimum((best[1], best[0]), best) == 1.0


@pytest.mark.parametrize(
    ("contents", "budget_cents"), [*(({"A1": 1, "B1": 1}, cents) for cents in (-5, 0, 1, 99)), ({"A1": 1}, 10_000)]
)
def test_an_unaffordable_menu_has_a_proven_optimum_of_0_workers(contents, budget_cents):
    optimum = solve(market_instance([offer_of("simple", contents, 100)], budget_cents))
    assert (optimum.workers, optimum.plan, optimum.proven) == (0.0, {}, True)


def test_an_unproven_optimum_gives_no_score():
    instance = generate("procurement", "MEDIUM", 0, with_reference=False)
    optimum = solve(instance, limit=0.0)
    assert not optimum.proven
    unproven = Instance(**vars(instance) | {"reference": {"optimum": optimum.as_json()}})
    environment = Procurement(unproven)
    assert environment.step(environment.parse_action("{}")).quality is None
    score = environment.score(unproven, environment.outcomes)
    assert score.value is None and "not proven" in score.note
    assert environment.metrics(unproven, environment.outcomes)["solved"] is None


def test_an_infeasible_plan_scores_0_and_gets_its_reasons():
    environment = Procurement(solved(0))
    outcome = environment.step(dict.fromkeys(environment.menu.by_id, 10**6))
    budget = environment.call("get_budget")
    assert not outcome.result["feasible"] and outcome.result["workers"] > 0
    text = environment.call("get_previous_purchase_data")
    assert f"over the budget of {budget}" in text and "workers" not in text
    assert environment.score(environment.instance, environment.outcomes).value == 0.0


def test_a_missed_minimum_order_is_explained_and_costs_nothing():
    environment = Procurement(market_instance([offer_of("bulk_only", {"A1": 1, "B1": 1}, 100, 3)], 1000))
    outcome = environment.step(environment.parse_action("{'Offer_1': 1}"))
    assert outcome.result["cost_cents"] == 0 and not outcome.result["feasible"]
    assert outcome.result["reasons"] == ["the minimum order quantity of Offer_1 is 3, but 1 was ordered"]


@pytest.mark.parametrize("difficulty", ["BASIC", "MEDIUM", "HARD"])
def test_optima_and_proofs_of_the_published_instances_are_stored(difficulty):
    for seed in range(12):
        instance = generate("procurement", difficulty, seed)
        optimum, menu = instance.reference["optimum"], Menu.of(instance)
        assert optimum["proven"] and menu.is_feasible(optimum["plan"])
        assert optimum["log_bound"] - log_value(menu.category_sums(optimum["plan"])) <= GAP
    if difficulty == "HARD":
        assert generate("procurement", "HARD", 8).reference["optimum"]["workers"] == pytest.approx(45798.0259, abs=5e-5)


@pytest.mark.parametrize(("difficulty", "seed"), [("BASIC", 0), ("MEDIUM", 2)])
def test_a_stored_optimum_equals_that_of_the_solver(difficulty, seed):
    instance = generate("procurement", difficulty, seed, with_reference=False)
    stored = reference_of(instance)["optimum"]
    assert solve(instance).workers == pytest.approx(stored["workers"], rel=1e-9)


def test_a_gap_that_the_usual_tolerance_of_the_solver_leaves_is_closed():
    usual = generate("procurement", "MEDIUM", 6, "paper_text", with_reference=False)
    without_b3 = Instance(**vars(usual) | {"hidden": {"effectiveness": usual.hidden["effectiveness"] | {"B3": 0}}})
    assert solve(without_b3).proven
