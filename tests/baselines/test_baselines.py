"""Baselines parse what tools print; they are fast, reproducible, and of the intended quality."""

from functools import cache

import numpy as np
import pytest

from agents.baselines import reading
from agents.baselines.base import BaselineLLM
from agents.baselines.forecasting import forecast
from agents.baselines.procurement_hill_climber import cost_cents, covered, filled, random_cover
from agents.baselines.registry import BASELINES
from agents.episode import play, play_baseline
from agents.notes import Notes
from environments.base import Instance
from environments.procurement.economics import Menu
from environments.registry import ENVIRONMENTS, GENERATION, generate
from tests.environments.cast import GENERATORS, SMALL, SURVEYS, game, instance_of, random_action
from tests.yardstick import within

PAIRS = [(slug, name) for slug, baseline in BASELINES.items() for name in baseline.environments if name in ENVIRONMENTS]
every_pair = pytest.mark.parametrize(("slug", "name"), PAIRS)
every_pair_with_notes = pytest.mark.parametrize(("slug", "name"), [pair for pair in PAIRS if pair[1] not in SURVEYS])


def easiest(name):
    return next(iter(GENERATION[name].difficulties))


@cache
def played(slug, name, difficulty, seed):
    return play_baseline(BASELINES[slug], instance_of(name, difficulty, "published", seed), ENVIRONMENTS[name])


def menu_and_offers(difficulty, seed):
    instance = generate("procurement", difficulty, seed, with_reference=False)
    return Menu.of(instance), reading.menu(ENVIRONMENTS["procurement"](instance).call("get_equipment_information"))


def mean_score(slug, name, difficulty, seeds=12):
    runs = [played(slug, name, difficulty, seed) for seed in range(seeds)]
    return 100 * float(np.mean([run.score(run.instance, run.outcomes).value for run in runs]))


def test_every_slug_matches_its_class_and_has_a_description():
    for slug, baseline in BASELINES.items():
        assert baseline.slug == slug and baseline.title and baseline.description.endswith(".")
        assert baseline.environments


@pytest.mark.sampled
@every_pair
def test_a_baseline_run_is_fast_and_reproducible(slug, name):
    instance = instance_of(name, easiest(name), "published", 1)
    run = within(60_000_000, lambda: play_baseline(BASELINES[slug], instance, ENVIRONMENTS[name]))
    assert run.finished
    assert run.outcomes == played(slug, name, easiest(name), 1).outcomes


@pytest.mark.sampled
@every_pair
def test_a_resumed_baseline_plays_like_an_uninterrupted_baseline(slug, name):
    whole = played(slug, name, easiest(name), 1)
    half = ENVIRONMENTS[name](whole.instance, whole.outcomes[: len(whole.outcomes) // 2])
    seated = {seat: BASELINES[slug](whole.instance, ENVIRONMENTS[name], seat) for seat in half.seats}
    assert play(half, lambda seat, period: BaselineLLM(seated[seat], period)).outcomes == whole.outcomes


@pytest.mark.sampled
@every_pair_with_notes
def test_every_period_has_a_short_note_that_explains_the_choice(slug, name):
    environment = game(name, easiest(name), seed=2, periods=12)
    notes = {seat: Notes() for seat in environment.seats}
    baseline = BASELINES[slug](environment.instance, ENVIRONMENTS[name])
    play(environment, lambda seat, period: BaselineLLM(baseline, period), notes)
    for written in notes.values():
        assert list(written.by_period) == list(range(environment.period))
        for (text,) in written.by_period.values():
            assert text.endswith(".") and 20 < len(text) < 400


@pytest.mark.sampled
@every_pair
@pytest.mark.parametrize("generator", GENERATORS)
def test_baselines_play_custom_instances_of_both_generators(slug, name, generator):
    instance = instance_of(name, "CUSTOM", generator)
    assert instance.settings == SMALL[name]
    assert play_baseline(BASELINES[slug], instance, ENVIRONMENTS[name], periods=25).finished


@pytest.mark.sampled
@pytest.mark.parametrize("slug", [slug for slug, baseline in BASELINES.items() if not baseline.clairvoyant])
def test_only_the_clairvoyant_baseline_reads_hidden_values(slug):
    for name in BASELINES[slug].environments:
        if name in ENVIRONMENTS:
            shown = instance_of(name, easiest(name))
            blind = Instance(**vars(shown) | {"hidden": {}, "reference": {}})
            game = ENVIRONMENTS[name](shown, periods=15)
            seated = {seat: BASELINES[slug](blind, ENVIRONMENTS[name], seat) for seat in game.seats}
            run = play(game, lambda seat, period, players=seated: BaselineLLM(players[seat], period))
            whole = played(slug, name, easiest(name), 0)
            assert [o.action for o in run.outcomes] == [o.action for o in whole.outcomes[:15]]


@pytest.mark.sampled
@pytest.mark.parametrize("name", ["procurement", "scheduling", "pricing"])
@pytest.mark.parametrize("difficulty", ["BASIC", pytest.param("MEDIUM", marks=pytest.mark.long)])
def test_the_clairvoyant_scores_exactly_one_and_chance_far_less(name, difficulty):
    assert mean_score("optimum", name, difficulty, 3) == pytest.approx(100, abs=1e-9)
    assert mean_score("random", name, difficulty, 3) < 70


def test_random_plans_stay_within_the_budget_most_of_the_time():
    runs = [played("random", "procurement", "BASIC", seed) for seed in range(3)]
    rates = [run.metrics(run.instance, run.outcomes)["within_budget_rate"] for run in runs]
    assert 0.6 < np.mean(rates) <= 1


LARGER = [pytest.param(*values, marks=pytest.mark.long) for values in (("MEDIUM", 98.1), ("HARD", 76.0))]


@pytest.mark.parametrize(("difficulty", "published"), [("BASIC", 100.0), *LARGER])
def test_knuths_rule_scores_what_the_paper_reports(difficulty, published):
    assert mean_score("scheduling-knuth", "scheduling", difficulty) == pytest.approx(published, abs=2)


def test_knuths_rule_swaps_a_reported_pair():
    run = played("scheduling-knuth", "scheduling", "BASIC", 0)
    for before, after in zip(run.outcomes, run.outcomes[1:], strict=False):
        changed = {worker for worker in before.action if before.action[worker] != after.action[worker]}
        assert len(changed) == 2
        assert any(after.action[worker] == task for worker, task in before.result["feedback"])


@pytest.mark.long
def test_the_hill_climber_beats_chance_clearly_and_stays_feasible():
    climber = mean_score("procurement-hill-climber", "procurement", "BASIC", 3)
    assert climber > 80 and climber > mean_score("random", "procurement", "BASIC", 3) + 20
    assert mean_score("procurement-hill-climber", "procurement", "MEDIUM", 2) > 75
    run = played("procurement-hill-climber", "procurement", "BASIC", 0)
    assert all(outcome.result["feasible"] for outcome in run.outcomes)


@pytest.mark.long
@pytest.mark.parametrize(
    "difficulty", ["BASIC", *(pytest.param(name, marks=pytest.mark.long) for name in ("MEDIUM", "HARD"))]
)
def test_following_the_drift_beats_searching_and_searching_beats_constant_prices(difficulty):
    kinds = ("constant", "local-search", "drift-tracker")
    constant, local, tracker = (mean_score(f"pricing-{kind}", "pricing", difficulty, 2) for kind in kinds)
    assert constant < local < tracker and tracker > 97


@pytest.mark.parametrize("difficulty", ["BASIC", "MEDIUM", "HARD"])
@pytest.mark.parametrize("seed", [0, 1])
def test_a_printed_menu_is_read_completely(difficulty, seed):
    menu, offers = menu_and_offers(difficulty, seed)
    assert len(offers) == len(menu.offers)
    for read, offer in zip(offers, menu.offers, strict=True):
        assert (read.id, read.price_cents, read.contents) == (offer.id, offer.price_cents, offer.contents)
        assert (read.upfront_cents, read.minimum) == (offer.upfront_cents or 0, offer.min_quantity or 1)
        assert read.cost_cents(9) == offer.cost_cents(9)
        most = read.most(menu.budget_cents)
        assert offer.cost_cents(most) <= menu.budget_cents and not offer.misses_minimum(most)


def test_purchases_are_parsed_and_invalid_plans_marked():
    environment = game("procurement", "BASIC")
    for plan in ({"Offer_4": 1, "Offer_9": 1, "Offer_11": 1}, {"Offer_2": 1}, {}):
        environment.step(environment.parse_action(plan))
    first, second, third = reading.purchases(environment.call("get_previous_purchase_data"))
    assert first.plan == {"Offer_4": 1, "Offer_9": 1, "Offer_11": 1} and first.workers is not None
    assert (second.plan, second.workers) == ({"Offer_2": 1}, None)
    assert (third.plan, third.workers) == ({}, 0.0)


def test_the_last_assignment_is_parsed_with_its_blocking_pairs():
    environment = game("scheduling", "HARD")
    assert reading.last_assignment(environment.call("get_previous_attempts_data")) is None
    rng = np.random.default_rng(0)
    for _ in range(3):
        outcome = environment.step(environment.parse_action(random_action(environment, rng)))
    last = reading.last_assignment(environment.call("get_previous_attempts_data"))
    assert last == (outcome.action, [tuple(pair) for pair in outcome.result["feedback"]])


def test_sales_are_parsed_to_two_decimals():
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


@pytest.mark.parametrize("seed", range(3))
def test_random_plans_cover_every_category_within_the_budget(seed):
    menu, offers = menu_and_offers("MEDIUM", seed)
    rng = np.random.default_rng(seed)
    plan = filled(random_cover(offers, menu.budget_cents, rng), offers, menu.budget_cents, rng, kinds=2)
    assert covered(plan, offers) == {"A", "B", "C", "D", "E"}
    assert menu.is_feasible(plan)
    assert cost_cents(plan, offers) == menu.cost_cents(plan)


def test_linear_and_periodic_shifts_are_recognised_and_extrapolated():
    t = np.arange(30)[:, None]
    line = np.hstack([5 + 0.02 * t, 3 - 0.01 * t])
    wave = np.hstack([5 + 2 * np.sin(2 * np.pi * t / 13), 3 + 1 * np.sin(2 * np.pi * t / 13)])
    trust = np.ones((29, 2))
    assert forecast(line[:29], trust)[0] == pytest.approx(line[29], rel=1e-3)
    values, shape = forecast(wave[:29], trust)
    assert values == pytest.approx(wave[29], rel=1e-3) and shape == "a cycle of 13 periods"
    assert forecast(line[:1], trust[:1])[1] == "no drift"
