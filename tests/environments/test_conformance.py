"""Every environment against figures of the published experiment code and exact formulas."""

from functools import cache

import numpy as np
import pytest

from environments.patience.cells import horizons
from environments.patience.economics import Curve, best_rate, litmus
from environments.pricing.economics import Demand
from environments.procurement.economics import Menu, workers
from environments.registry import ENVIRONMENTS, generate
from environments.scheduling.economics import Preferences
from tests.environments.cast import act, conformance, survey

EQUALITY, COLLUSION = "efficiency_vs_equality", "collusiveness_vs_competitiveness"
SAME = {
    "procurement": ("offers", "categories", "effectiveness"),
    "scheduling": ("worker_preferences", "task_preferences", "feedback_pairs"),
    "pricing": ("products", "costs", "qualities", "nests", "shift"),
    EQUALITY: ("task_sizes", "productivities"),
    COLLUSION: ("alpha",),
}
KINDS = {"continuous": "continuous_exact", "annual": "annual_point_average"}


@cache
def generated(name, *place):
    return generate(name, *place, with_reference=name != "procurement")


def drawn(row):
    return generated(*(row[key] for key in ("environment", "difficulty", "seed", "generator")))


def near(values, rel=1e-9):
    return pytest.approx(values, rel=rel, abs=1e-12)


def play(row):
    """The whole run of a row. A figure on the edge of two decimals may round either way."""
    environment = ENVIRONMENTS[row["environment"]](drawn(row))
    for played in row["replay"]:
        result = act(environment, played["action"]).result
        for name in ("quantities", "profits"):
            assert list(result[name].values()) == pytest.approx(played[f"{name}_2dp"], abs=0.005 + 1e-9)
    assert environment.finished
    return environment


@pytest.mark.sampled
@conformance(*SAME)
def test_drawn_instances_and_menus_equal_the_published_figures(row):
    instance = drawn(row)
    values = instance.parameters | instance.hidden
    for key in SAME[instance.environment]:
        assert values[key] == (near(row[key]) if key in ("costs", "qualities") else row[key])
    # The order in which offers list their contents counts as well.
    ours, theirs = ([list(offer["contents"]) for offer in of.get("offers", ())] for of in (values, row))
    assert ours == theirs
    if row.get("menu_text"):
        menu = ENVIRONMENTS["procurement"](instance).call("get_equipment_information")
        assert menu.strip() == row["menu_text"].strip()


@conformance("procurement")
def test_costs_workers_and_budget_of_plans_equal_the_published_figures(row):
    menu = Menu.of(drawn(row))
    assert menu.cost_cents(row["budget_plan"]) == row["budget_plan_cost_cents"]
    assert row["budget_plan_cost_cents"] <= menu.budget_cents <= row["budget_plan_cost_cents"] + 100
    for case in row["plans"]:
        plan = case["plan"]
        assert menu.cost_cents(plan) == case["cost_cents"]
        assert workers(menu.category_sums(plan)) == pytest.approx(case["workers"], rel=1e-9, abs=1e-9)
        assert bool(menu.missed_minimums(plan)) is case["minimum_missed"]
        affordable = case["cost_cents"] <= menu.budget_cents
        assert menu.is_feasible(plan) is (affordable and not case["minimum_missed"])


@conformance("scheduling")
def test_blocking_pairs_equal_the_published_figures_in_order(row):
    instance = drawn(row)
    workers, tasks = instance.parameters["workers"], instance.parameters["tasks"]
    for case in row["matchings"]:
        task_of = np.array([tasks.index(case["matching"][worker]) for worker in workers])
        pairs = Preferences.of(instance).blocking_pairs(task_of)
        assert [[workers[w], tasks[t]] for w, t in pairs] == case["pairs"]


@conformance("scheduling")
def test_expected_blocking_pairs_equal_the_exact_formula_and_fit_the_samples(row):
    expected = drawn(row).reference["expected_blocking_pairs"]
    assert expected == pytest.approx(row["exact_expectation"], rel=1e-12)
    sample = row["sampled_expectation"]
    # Every interval is of 95 %, so among many rows some miss; twice as wide none may.
    slack = (sample["high"] - sample["low"]) / 2
    assert sample["low"] - slack <= expected <= sample["high"] + slack


@conformance("scheduling")
def test_a_run_of_assignments_gets_the_published_feedback_and_score(row):
    environment = ENVIRONMENTS["scheduling"](drawn(row))
    for played in row["replay"]:
        result = act(environment, played["action"]).result
        assert (result["blocking_pairs"], result["feedback"]) == (played["blocking_pairs"], played["feedback"])
    assert environment.finished == (len(row["replay"]) == 100 or not row["replay"][-1]["blocking_pairs"])
    score = environment.score(environment.instance, environment.outcomes)
    assert score.value == pytest.approx(row["replay_score"], abs=1e-9)


@conformance("pricing")
def test_shift_markup_and_demand_equal_the_published_figures(row):
    instance = drawn(row)
    demand, alphas = Demand.of(instance), instance.hidden["alphas"]
    assert instance.hidden["period_length"] in (None, row["period_length"])
    assert (alphas[0], alphas[-1]) == (near(row["alphas_first"]), near(row["alphas_last"]))
    assert demand.optimal_markup() == near(row["markup"], 1e-6)
    for case in row["cases"]:
        sold = (case["prices"], alphas[case["period"]])
        assert demand.quantities(*sold) == near(np.array(case["quantities"]), 1e-6)
        assert demand.profits(*sold) == near(np.array(case["profits"]), 1e-6)


@conformance("pricing")
def test_price_ceilings_equal_the_published_figures_if_the_optimiser_converged(row):
    ceilings = drawn(row).parameters["price_ceilings"]
    for block, ceiling in enumerate(row.get("price_ceilings_by_ten") or []):
        if ceiling is not None:
            assert ceilings[10 * block : 10 * block + 10] == pytest.approx([ceiling] * 10, abs=0.011)


@pytest.mark.sampled
@conformance("pricing", COLLUSION)
def test_a_run_of_prices_gets_the_published_feedback_and_score(row):
    environment = play(row)
    if row.get("replay_score_2dp") is not None:
        score = environment.score(environment.instance, environment.outcomes)
        assert score.value == pytest.approx(row["replay_score_2dp"], abs=1e-4)


@pytest.mark.sampled
@conformance(EQUALITY)
def test_runs_of_equality_get_the_published_revenue_inequality_and_scores(row):
    instance = drawn(row)
    for name in ("max_efficiency", "max_equality"):
        assert {key: instance.reference[name][key] for key in row[name]} == row[name]
    for replay in row["replays"]:
        environment = ENVIRONMENTS[EQUALITY](instance, variant=replay["variant"])
        for action in replay["actions"]:
            act(environment, action)
        assert environment.finished
        metrics = environment.metrics(instance, environment.outcomes)
        for key in ("revenue", "inequality", "litmus", "efficiency_competency", "equality_competency"):
            assert metrics[key] == pytest.approx(replay[key], rel=1e-6, abs=1e-6)


@conformance("patience_vs_impatience")
@pytest.mark.parametrize("compounding", list(KINDS))
def test_rates_and_reliabilities_equal_the_published_figures_per_horizon(row, compounding):
    curves = {}
    for horizon in horizons(survey().instance.parameters):
        points = sorted(row["chose_now_of_20"][horizon.label])
        assert [amount for amount, _ in points] == list(horizon.amounts)
        later = np.array([1 - now / 20 for _, now in points])
        curves[horizon.label] = Curve(horizon.years, np.array(horizon.amounts, dtype=float), later)
    theirs = row[KINDS[compounding]]
    pairs = [(best_rate(curve, compounding), theirs["per_horizon"][label]) for label, curve in curves.items()]
    assert all(best.identified == expected.get("identified", best.identified) for best, expected in pairs)
    for best, expected in [*pairs, (litmus(list(curves.values()), compounding), theirs["aggregate"])]:
        assert 100 * best.rate == pytest.approx(expected["rate_percent"], abs=1e-6)
        assert best.reliability == pytest.approx(expected["reliability"], abs=1e-6)


@conformance("patience_vs_impatience")
def test_a_replayed_survey_gets_the_same_score_in_any_order(row):
    environment = survey()
    for label, points in row["chose_now_of_20"].items():
        for amount, now in points:
            action = {"horizon": label, "amount": amount, "later": 20 - now, "now": now, "invalid": 0}
            environment.step(environment.parse_action(str(action)))
    assert environment.finished
    expected = row["continuous_exact"]
    metrics = environment.metrics(environment.instance, environment.outcomes)
    score = environment.score(environment.instance, environment.outcomes)
    assert score.value == metrics["litmus_rate"] == pytest.approx(expected["aggregate"]["rate_percent"] / 100, abs=1e-8)
    assert metrics["reliability"] == pytest.approx(expected["aggregate"]["reliability"], abs=1e-6)
    for label, horizon in expected["per_horizon"].items():
        shown = metrics["by_horizon"][label]
        assert shown["reliability"] == pytest.approx(horizon["reliability"], abs=1e-6)
        if horizon["identified"]:
            assert shown["rate"] == pytest.approx(horizon["rate_percent"] / 100, abs=1e-8) and shown["bound"] == ""
        else:
            assert shown["rate"] is None and shown["bound"].startswith(("above ", "below "))
