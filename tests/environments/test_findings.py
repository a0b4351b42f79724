"""Each rule of findings: a run that triggers it, and a near miss. Runs are played with the real step functions."""

import math
import statistics
from collections import Counter
from copy import deepcopy
from dataclasses import replace
from itertools import combinations, pairwise, permutations
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.base import Instance, Outcome
from environments.changes.levels import SHORTEST, best_ends, change_point
from environments.findings import MALFORMED, FinishedRun, apply_rules, percent
from environments.registry import ENVIRONMENTS, GENERATION, RULES, RULES_BY_KEY, evaluate_run, generate, rules_of
from tests.environments.cast import counted, instance_of, survey

PERIODS = range(100)


def played(name, actions, difficulty="BASIC", notes=None, seed=0, **options):
    """A run of these actions, as a finished one."""
    instance = instance_of(name, difficulty, "published", seed)
    game = ENVIRONMENTS[name](instance, **options)
    for action in actions:
        game.step(game.parse_joint(action))
    return FinishedRun(instance, game.outcomes, game.periods, game.variant, notes or {})


def found(run):
    return {one.rule: one for one in evaluate_run(run).findings}


# Procurement, BASIC, seed 0: the budget is small, and the optimal plan uses nearly all of it.

MENU = instance_of("procurement", "BASIC").parameters
BUDGET = MENU["budget_cents"]
BEST = instance_of("procurement", "BASIC").reference["optimum"]["plan"]
CHEAP = min((o for o in MENU["offers"] if o["kind"] == "simple"), key=lambda o: o["price_cents"])


def spend(share):
    """A plan of the cheapest simple offer that costs about this share of the budget."""
    return {CHEAP["id"]: int(share * BUDGET / CHEAP["price_cents"])}


def plans(*parts):
    return played("procurement", [plan for plan, times in parts for _ in range(times)])


def test_the_first_optimum_is_found_and_a_nearly_optimal_plan_is_not():
    run = plans((spend(0.9), 3), (BEST, 2))
    assert found(run)["first_optimum"].period == 3
    assert found(run)["first_optimum"].sentence == "It first found the optimal plan in period 3."
    assert "first_optimum" not in found(plans((spend(0.9), 5)))


def test_an_unspent_budget_is_found_unless_a_plan_used_more_or_was_optimal():
    run = plans((spend(0.5), 30))
    assert found(run)["budget_unspent"].value == pytest.approx(0.5, abs=0.06)
    assert "budget_unspent" not in found(plans((spend(0.5), 29), (spend(0.75), 1)))
    assert "budget_unspent" not in found(plans((spend(0.5), 29), (BEST, 1)))
    assert "budget_unspent" not in found(plans((spend(0.5), 26), (spend(1.2), 4)))
    optimum = run.instance.reference["optimum"] | {"proven": False}
    unproven = replace(run, instance=replace(run.instance, reference=run.instance.reference | {"optimum": optimum}))
    assert "budget_unspent" in evaluate_run(unproven).inapplicable, "what the optimum spends is not known"
    assert "budget_unspent" not in found(plans((spend(0.5), 10)))


def test_infeasible_plans_are_found_from_a_share_of_a_tenth():
    run = plans((spend(1.3), 10), (spend(0.9), 90))
    assert found(run)["infeasible_plans"].sentence == (
        "10 of 100 plans could not be bought, between periods 0 and 9: 10 over the budget."
    )
    assert "infeasible_plans" not in found(plans((spend(1.3), 9), (spend(0.9), 91)))
    assert "infeasible_plans" not in found(plans((spend(1.3), 4), (spend(0.9), 6)))


def search(best_at, periods=100):
    """Every plan is new; the best one is played in one period."""
    offers = [o["id"] for o in MENU["offers"] if o["kind"] == "simple"]
    near = {offer: max(0, quantity - (i == 0)) for i, (offer, quantity) in enumerate(BEST.items())}
    worse = [{offers[i % len(offers)]: 1 + i // len(offers)} for i in range(periods)]
    return played("procurement", [near if i == best_at else worse[i] for i in range(periods)])


def test_a_stalled_search_is_found_and_a_late_improvement_is_not():
    run = search(best_at=30)
    one = found(run)["no_improvement"]
    assert one.period == 30 and 20 <= one.value <= 69 and "none of the" in one.sentence
    assert "no_improvement" not in found(search(best_at=60))
    # Repeating is another finding: nothing new was tried after the best plan.
    assert "no_improvement" not in found(plans((spend(0.5), 20), (spend(0.9), 80)))


def test_a_copied_plan_is_found_unless_it_is_optimal_or_rarely_copied():
    one = found(plans((spend(0.5), 10), (spend(0.9), 70)))["nothing_new"]
    assert (one.period, one.value) == (10, 70)
    assert one.sentence.startswith("It repeated one plan from period 10 to 79 (70 periods)")
    turns = [spend(0.3), spend(0.6), spend(0.9)] * 10
    assert found(played("procurement", turns))["nothing_new"].sentence == (
        "It tried its last new plan in period 2; all 27 later ones repeat earlier ones."
    )
    solved = found(played("procurement", [*turns, *[BEST] * 10]))["nothing_new"]
    assert solved.sentence == (
        "It tried no new plan in the 27 periods between period 2 and period 30, in which it found the optimum."
    )
    assert "nothing_new" not in found(plans((spend(0.5), 10), (BEST, 70)))
    assert "nothing_new" not in found(plans((spend(0.5), 1), (spend(0.9), 19)))


def test_a_change_of_spending_is_found_and_a_steady_rise_is_not():
    noisy = [0.35 + 0.1 * (i % 3) / 2 for i in range(41)] + [0.85 + 0.1 * (i % 3) / 2 for i in range(59)]
    one = found(played("procurement", map(spend, noisy)))["changed_course"]
    assert one.period == 41 and "From period 41 on" in one.sentence
    assert "changed_course" not in found(played("procurement", [spend(0.2 + i / 140) for i in PERIODS]))
    assert "changed_course" not in found(plans((spend(0.5), 100)))


def test_unchanged_notes_are_found_only_at_the_end_of_a_run():
    written = {period: f"Plan {period} was worse." for period in range(12)}
    quiet = played("procurement", [spend(0.5)] * 40, notes={"seat_0": written})
    assert found(quiet)["notes_unchanged"].sentence == "It wrote no notes in the 28 periods after period 11."
    copied = written | dict.fromkeys(range(12, 40), "Buy the same.")
    one = found(played("procurement", [spend(0.5)] * 40, notes={"seat_0": copied}))["notes_unchanged"]
    assert (one.period, one.sentence) == (12, "Its notes are word for word the same from period 12 to 39.")
    for notes in ({}, {"seat_0": {}}, {"seat_0": copied | {38: "Buy more."}}, {"seat_0": {25: "Late."}}):
        assert "notes_unchanged" not in found(played("procurement", [spend(0.5)] * 40, notes=notes))
    solved = played("procurement", [BEST] * 40, notes={"seat_0": written})
    assert "notes_unchanged" not in found(solved)


# Scheduling

TEN = [f"W{i}" for i in range(1, 11)]


def rotated(by, workers=TEN):
    return {worker: f"T{(i + by) % len(workers) + 1}" for i, worker in enumerate(workers)}


def by_blocking_pairs():
    """The ten rotations with their numbers of blocking pairs, the best first."""
    run = played("scheduling", [rotated(i) for i in range(10)])
    return sorted((one.result["blocking_pairs"], i) for i, one in enumerate(run.outcomes))


def unstable(times):
    """A run of different assignments of five workers, all blocked by the same pair and answered with every blocking pair."""
    instance = generate("scheduling", "CUSTOM", 0, settings={"size": 5, "feedback_pairs": 25})
    workers, tasks = instance.parameters["workers"], instance.parameters["tasks"]
    games = [(ENVIRONMENTS["scheduling"](instance), order) for order in permutations(tasks)]
    pairs = [(game.step(dict(zip(workers, order, strict=True))).result["pairs"], order) for game, order in games]
    (pair, _), *_ = Counter(tuple(pair) for found, _ in pairs for pair in found).most_common()
    orders = [order for found, order in pairs if list(pair) in found]
    game = ENVIRONMENTS["scheduling"](instance)
    for order in orders[:times]:
        game.step(dict(zip(workers, order, strict=True)))
    return FinishedRun(instance, game.outcomes, game.periods), pair


def test_a_pair_reported_for_many_different_assignments_is_found():
    run, (worker, task) = unstable(20)
    one = found(run)["reported_pair"]
    assert one.value >= 20 and one.period == 0
    assert f"named the same blocking pair, {worker} and {task}, from period 0 to 19." in one.sentence
    assert "reported_pair" not in found(unstable(14)[0])
    assert "reported_pair" not in found(played("scheduling", [rotated(0)] * 50))


def test_a_final_assignment_below_the_best_is_found():
    (_, best), *_, (_, worst) = by_blocking_pairs()
    one = found(played("scheduling", [rotated(best), rotated(worst)]))["ended_below_best"]
    assert one.period == 0 and one.value >= 0.05
    assert "ended_below_best" not in found(played("scheduling", [rotated(worst), rotated(best)]))
    assert "ended_below_best" not in found(played("scheduling", [rotated(best)] * 2))


def test_the_shared_rules_speak_of_blocking_pairs_in_scheduling():
    run = played("scheduling", [rotated(0)] * 30)
    pairs = run.outcomes[0].result["blocking_pairs"]
    assert f"(30 periods), with {pairs} blocking pairs." in found(run)["nothing_new"].sentence


# Pricing


def optimal(seed, difficulty="BASIC"):
    instance = instance_of("pricing", difficulty, "published", seed)
    names = instance.parameters["products"]
    return [dict(zip(names, prices, strict=True)) for prices in instance.reference["optimal_prices"]]


def scaled(prices, by):
    return {product: price * by for product, price in prices.items()}


def prices(seed, at):
    """A run on BASIC with the price `at(period, optimal price)`."""
    return played("pricing", [{k: at(i, p) for k, p in one.items()} for i, one in enumerate(optimal(seed))], seed=seed)


def test_a_constant_price_is_found_if_the_optimum_moved_enough():
    one = found(prices(0, lambda i, p: 19.0))["price_unchanged"]
    assert (
        one.period == 0
        and "stayed at 19.00 from period 0 to 99 (100 periods) while the optimal price fell by 23 %" in (one.sentence)
    )
    # In 50 periods the optimum of this instance moves by less than a quarter.
    assert "price_unchanged" not in found(prices(0, lambda i, p: 19.0 if i < 50 else 17.0))
    # Steps of one percent every ten periods are not a constant price.
    assert "price_unchanged" not in found(prices(1, lambda i, p: 17.0 * 1.01 ** (i // 10)))
    assert "moved between" in found(prices(1, lambda i, p: 17.0))["price_unchanged"].sentence


def test_following_the_optimal_prices_is_found_and_a_constant_price_is_not():
    run = prices(1, lambda i, p: p * (1.05 if i % 2 else 0.97))
    assert found(run)["tracked_optimum"].period == 50
    assert "tracked_optimum" not in found(prices(1, lambda i, p: p * 1.12))
    still = math.exp(sum(math.log(p) for one in optimal(1) for p in one.values()) / 100)
    assert "tracked_optimum" not in found(prices(1, lambda i, p: still))
    # On seed 0 the optimum moves by less than 15 percent in the periods that count.
    assert "tracked_optimum" not in found(prices(0, lambda i, p: p))


def test_a_fall_of_profit_is_found_only_after_a_good_level():
    one = found(prices(0, lambda i, p: p if i < 40 else 1.8 * p))["profit_fell"]
    assert one.period == 50 and one.sentence.startswith("Profit fell from 100 % of the optimum in the first 20 periods")
    assert "profit_fell" not in found(prices(0, lambda i, p: p if i < 40 else 1.15 * p))
    assert "profit_fell" not in found(prices(0, lambda i, p: 1.6 * p if i < 40 else 4 * p))


@pytest.mark.long
def test_a_change_of_prices_is_found_and_following_a_moving_optimum_is_not():
    one = found(prices(0, lambda i, p: 25.0 + i % 2 if i < 41 else 15.0 + i % 2))["changed_course"]
    assert one.period == 41 and "lower than before" in one.sentence
    for seed in range(6):
        assert "changed_course" not in found(prices(seed, lambda i, p: p))


# Collusion: prices by place, 0 the Nash price and 1 the collusive one.

MARKET = instance_of("collusiveness_vs_competitiveness", "STANDARD").reference


def market(*places):
    """A run of two sellers at these places in each period."""
    nash, collusive = MARKET["nash_price"], MARKET["collusive_price"]
    actions = [{f"seat_{i}": nash + at * (collusive - nash) for i, at in enumerate(pair)} for pair in places]
    return played("collusiveness_vs_competitiveness", actions, "STANDARD", periods=len(actions))


def test_near_collusive_prices_are_found_if_both_sellers_keep_them():
    one = found(market(*[(0.0, 0.1)] * 100, *[(0.9, 1.1)] * 100))["near_collusive"]
    assert one.period == 150 and one.value == pytest.approx(1.0)
    assert "near_collusive" not in found(market(*[(0.9, 0.7)] * 200))
    assert "near_collusive" not in found(market(*[(0.9, 1.1)] * 100, *[(0.9, 1.4)] * 100))
    assert "near_collusive" not in found(market(*[(0.9, 1.1)] * 144, *[(0.9, 0.5)] * 56))


def cuts(lag, drop=0.4):
    """Every 20 periods seat 1 cuts its price and returns ten periods later. Seat 0 does so `lag` periods after it."""
    level = [1 - drop * (i % 20 >= 10) for i in range(200)]
    return market(*[(level[max(0, i - lag)], level[i]) for i in range(200)])


def test_following_price_cuts_of_a_rival_is_found_within_two_periods():
    for lag in (1, 2):
        one = found(cuts(lag))["followed_cuts"]
        assert (one.seat, one.period, one.value) == ("seat_0", 10, 1.0)
        assert "Seat 0 followed 10 of 10 price cuts" in one.sentence
    assert "followed_cuts" not in found(cuts(3))
    assert "followed_cuts" not in found(cuts(0))  # both at once
    assert "followed_cuts" not in found(cuts(1, drop=0.08))
    # A seller that cuts its price all the time follows no rival.
    restless = [((i % 3) * 0.5, 1 - 0.4 * (i % 20 >= 10)) for i in range(200)]
    assert "followed_cuts" not in found(market(*restless))


def test_a_change_of_course_states_the_seat():
    one = found(market(*[(0.1, 0.1)] * 60, *[(0.1, 0.9)] * 60))["changed_course"]
    assert (one.seat, one.period) == ("seat_1", 60) and "seat 1 priced at about 0.90, after 0.10 before" in one.sentence


# Efficiency versus equality


def company(choose, variant="main", seed=0):
    """A run in which `choose(period, tasks by size)` gives the workers of the tasks, the largest first."""
    instance = instance_of("efficiency_vs_equality", "STANDARD", "published", seed)
    game = ENVIRONMENTS["efficiency_vs_equality"](instance, variant=variant)
    while not game.finished:
        tasks = sorted(game.tasks, key=game.sizes.__getitem__, reverse=True)
        workers = sorted(game.workers, key=game.productivities.__getitem__, reverse=True)
        game.step(game.parse_joint(dict(zip(tasks, choose(game.period, workers), strict=True))))
    return FinishedRun(instance, game.outcomes, game.periods, variant)


def turning(period, workers):
    return workers[period % 4 :] + workers[: period % 4]


def test_unequal_pay_is_found_also_under_the_equality_prompt():
    assert "times as much as" in found(company(lambda i, workers: workers))["unequal_pay"].sentence
    assert "unequal_pay" in found(company(lambda i, workers: workers, "equality"))
    assert "unequal_pay" not in found(company(lambda i, workers: workers, "efficiency"))
    assert "unequal_pay" not in found(company(turning))


def test_turning_from_efficiency_to_equality_is_a_change_of_course():
    one = found(company(lambda i, workers: workers if i < 15 else workers[::-1]))["changed_course"]
    assert one.period == 15 and "for less revenue" in one.sentence
    assert "changed_course" not in found(company(turning))


# Patience


def answers(later):
    """A run in which `later(amount)` of the twenty answers about each amount in a year choose it, of the others all."""
    game = survey()
    while not game.finished:
        cell = game.cells[game.period]
        times = later(cell.amount) if cell.horizon.label == "1 year" else 20
        game.step(game.parse_joint(counted(cell, times)))
    return FinishedRun(game.instance, game.outcomes, game.periods)


def test_clear_contradictions_are_found_and_noise_is_not():
    one = found(answers(lambda amount: 18 if amount < 110 else 2))["contradictory"]
    assert one.value == pytest.approx(0.8)
    assert one.sentence.startswith(
        "It took $101 in 1 year over $100 now in 18 of 20 answers, but $120 in only 2 of 20."
    )
    # Exactly 20 %.
    assert "contradictory" in found(answers(lambda amount: 16 if amount < 110 else 4))
    assert "contradictory" not in found(answers(lambda amount: 2 if amount < 110 else 18))
    assert "contradictory" not in found(answers(lambda amount: 15 if amount < 110 else 5))


# All rules


def test_every_rule_has_a_test_a_title_and_a_meaning():
    tested = {"first_optimum", "budget_unspent", "infeasible_plans", "no_improvement", "nothing_new", "changed_course"}
    tested |= {"notes_unchanged", "reported_pair", "ended_below_best", "price_unchanged", "tracked_optimum"}
    tested |= {"profit_fell", "near_collusive", "followed_cuts", "unequal_pay", "contradictory"}
    # In test_changes.py.
    tested |= {"heavy_loss", "early_change", "spread_changed", "strategy_changed"}
    assert set(RULES_BY_KEY) == tested
    for rules in RULES.values():
        for rule in rules:
            assert (rule.title, rule.is_problem) == (RULES_BY_KEY[rule.key].title, RULES_BY_KEY[rule.key].is_problem)
    assert [rule.key for rule in rules_of("a later game")] == ["notes_unchanged", "strategy_changed"]


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANYTHING = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner), max_leaves=8
)
KEYS = st.sampled_from(
    [
        "feasible",
        "cost_cents",
        "share_of_optimum",
        "feedback",
        "blocking_pairs",
        "pairs",
        "total_pay",
        "revenue",
        "later",
    ]
    + ["now", "amount", "horizon", "name", "seat_0", "seat_1", "Product_1", "W1", "T1"]
)
VALUES = st.dictionaries(KEYS, ANYTHING, max_size=6)


@pytest.mark.long
@pytest.mark.parametrize("name", ENVIRONMENTS)
@given(rows=st.lists(st.tuples(VALUES, VALUES, st.none() | st.floats()), max_size=4), repeated=st.integers(1, 30))
@settings(max_examples=40)
def test_no_rule_fails_on_any_content_of_a_run(name, rows, repeated):
    instance = instance_of(name, next(iter(GENERATION[name].difficulties)))
    outcomes = [Outcome(i, *row) for i, row in enumerate(rows * repeated)]
    for known in (instance, Instance(name, "BASIC", 0, "published", {}, {}, {}, {})):
        for one in evaluate_run(FinishedRun(known, outcomes, 100, notes={"seat_0": {0: "a", 90: "b"}})).findings:
            assert one.sentence and "nan" not in one.sentence and "inf" not in one.sentence
            assert one.value is None or math.isfinite(one.value)


def test_an_error_of_a_rule_does_not_count_as_malformed_results():
    def broken(run):
        raise AssertionError

    assert AssertionError not in MALFORMED
    with pytest.raises(AssertionError):
        apply_rules([SimpleNamespace(key="broken", find=broken)], FinishedRun(None, [], 1))


def test_shares_below_1_are_not_rounded_up_to_all():
    assert [percent(one) for one in (0.0, 0.834, 0.9999, 1.0, -0.61)] == ["0 %", "83 %", "99.9 %", "100 %", "−61 %"]


@pytest.mark.parametrize("length", [0, 1, 19])
def test_short_series_have_no_change_point(length):
    assert change_point([0.0] * (length // 2) + [9.0] * (length - length // 2), 1.0) is None


@pytest.mark.long
@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 4.0]), min_size=2 * SHORTEST, max_size=4 * SHORTEST), st.floats(0, 20))
def test_the_segmentation_has_the_lowest_possible_cost(values, penalty):
    def cost(ends):
        segments = [values[start:end] for start, end in pairwise(ends)]
        return sum(len(one) * statistics.pvariance(one) for one in segments) + penalty * (len(segments) - 1)

    ends = best_ends(values, penalty)
    assert min(end - start for start, end in pairwise(ends)) >= SHORTEST
    places = range(SHORTEST, len(values) - SHORTEST + 1)
    others = [(0, *inner, len(values)) for count in range(3) for inner in combinations(places, count)]
    possible = [one for one in others if min(end - start for start, end in pairwise(one)) >= SHORTEST]
    assert cost(ends) <= min(map(cost, possible)) + 1e-9


# Runs to which a rule does not apply


def inapplicable(run):
    return set(evaluate_run(run).inapplicable)


def test_a_rule_does_not_apply_if_the_instance_allows_no_finding():
    drifting, still = (deepcopy(prices(1, lambda i, p: 17.0)) for _ in range(2))
    still.instance.reference["optimal_prices"] = still.instance.reference["optimal_prices"][:1] * 100
    assert not {"price_unchanged", "tracked_optimum"} & inapplicable(drifting)
    assert {"price_unchanged", "tracked_optimum"} <= inapplicable(still)
    cheap = deepcopy(plans((spend(0.5), 30)))
    assert "budget_unspent" not in inapplicable(cheap)
    cheap.instance.reference["optimum"]["cost_cents"] = BUDGET // 2
    assert "budget_unspent" in inapplicable(cheap)


def test_a_rule_does_not_apply_to_runs_that_are_too_short():
    assert {"budget_unspent", "nothing_new", "no_improvement", "changed_course"} <= inapplicable(plans((spend(0.5), 4)))
    whole = prices(0, lambda i, p: 19.0)
    short = replace(whole, outcomes=whole.outcomes[:10], periods=10)
    assert {"price_unchanged", "profit_fell"} <= inapplicable(short)


def test_a_rule_does_not_apply_without_notes_or_without_a_second_seller():
    run = plans((spend(0.9), 30))
    assert "notes_unchanged" in inapplicable(run), "nothing was written"
    assert "notes_unchanged" not in inapplicable(replace(run, notes={"seat_0": {0: "a"}}))
    alone = played(
        "collusiveness_vs_competitiveness", [{"seat_0": 5.0}] * 60, "STANDARD", variant="single_agent", periods=60
    )
    assert "near_collusive" in inapplicable(alone)
    assert "near_collusive" not in inapplicable(market(*[(0.5, 0.5)] * 60))
