"""Changes within runs: of level, spread, result and wording, and the largest changes on a common scale."""

import math
from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from environments.base import Outcome
from environments.changes.crashes import crashes
from environments.changes.largest import MOST, _jumps
from environments.changes.levels import early_change
from environments.changes.spreads import spread_change
from environments.changes.wording import MOST_READ, distinct_words, likeness, rewordings, without_numbers
from environments.findings import FinishedRun
from environments.registry import ENVIRONMENTS, evaluate_run
from tests.environments.cast import instance_of

STEP = math.log(1.15)
NOISE = np.random.default_rng(7).normal(0, 1, 300)


def priced(prices, notes=None, seed=0):
    """A run of pricing BASIC at these prices."""
    instance = instance_of("pricing", "BASIC", "published", seed)
    game = ENVIRONMENTS["pricing"](instance)
    for price in prices:
        game.step({"Product_1": float(price)})
    return FinishedRun(instance, game.outcomes, 100, game.variant, notes or {})


def found(run):
    return {one.rule: one for one in evaluate_run(run).findings}


# A price cut in period 1


def test_a_price_cut_in_period_1_is_a_heavy_loss_that_states_the_price():
    run = priced([18, 2.5, *(18 + NOISE[:98] / 4)])
    one = found(run)["heavy_loss"]
    assert one.period == 1 and one.value == pytest.approx(2.68 + 0.99, abs=0.01)
    assert (
        one.sentence
        == "Its profit was −268 % of the optimum in period 1, against 99.6 % around; its price went from 18.00 to 2.50."
    )
    assert "early_change" not in found(run), "it lasted one period"
    assert "heavy_loss" not in found(priced([18, 14, *(18 + NOISE[:98] / 4)]))


def test_a_price_of_0_is_a_loss_like_a_price_of_a_cent():
    losses = [found(priced([18] * 40 + [price] + [18] * 40)).get("heavy_loss") for price in (0.01, 0.0)]
    assert losses[0] and losses[1] and losses[0].period == losses[1].period == 40


def test_a_price_cut_in_period_1_that_lasts_is_an_early_change_of_course():
    one = found(priced([18, *(2.5 + NOISE[:99] / 20)]))["early_change"]
    assert one.period == 1
    assert one.sentence.startswith("In period 1 already, its price went from 18.00 to 2.48 and stayed")
    later = found(priced([18] * 12 + [10] * 88))
    assert "early_change" not in later and later["changed_course"].period == 12
    assert "early_change" not in found(priced([18, *(16 + NOISE[:99] / 20)])), "a first guess is corrected in most runs"


def test_a_price_cut_and_its_end_are_among_the_largest_changes():
    changes = evaluate_run(priced([18, 2.5, *(18 + NOISE[:98] / 4)])).changes
    assert {(one.rule, one.period) for one in changes} >= {("result", 1), ("result", 2)}
    assert changes[0].sentence.startswith("In period 2 its profit went from −268 % to 98 % of the optimum")


def test_drifts_swings_and_short_series_have_no_early_change():
    assert early_change([0.0] + [1.0] * 20, STEP).position == 1
    for values in (
        [i * 0.3 for i in range(30)],
        [i // 4 % 2 for i in range(40)],
        [0.0, 1.0, 1.0, 1.0, 1.0],
        list(NOISE),
    ):
        assert early_change(list(map(float, values)), STEP) is None


# Losses


def test_a_stretch_of_low_results_is_a_crash_and_swinging_results_are_not():
    level = (0.95 + NOISE[:60] / 50).tolist()
    (crash,) = crashes([*level[:30], 0.1, 0.05, 0.2, *level[30:]], can_lose=False)
    assert (crash.start, crash.end, crash.lowest) == (30, 33, 0.05) and crash.level == pytest.approx(0.95, abs=0.02)
    assert crashes([*level[:30], 0.6, *level[30:]], can_lose=False) == []
    assert crashes([0.1, *level], can_lose=False) == [], "nothing was reached before"
    assert crashes((level[:10] + [0.1] * 3) * 6, can_lose=False) == [], "it swings as a matter of course"
    assert crashes((0.5 + NOISE / 5).tolist(), can_lose=False) == [], "results vary anyway"


def test_every_result_below_zero_is_a_loss_where_there_are_losses():
    values = [0.9] * 5 + [-0.1] * 40
    assert [(one.start, one.end) for one in crashes(values, can_lose=True)] == [(5, 45)]
    assert crashes(values, can_lose=False) == []
    (whole,) = crashes([-0.2] * 30, can_lose=True)
    assert whole.level is None and whole.depth == pytest.approx(0.2)


# Spread


def test_a_sixfold_fall_of_the_spread_is_detected():
    spread = np.where(np.arange(100) < 20, 3.0, 0.5)
    one = found(priced(18 + spread * NOISE[:100]))["spread_changed"]
    assert abs(one.period - 20) <= 2 and 1 / 9 < one.value < 1 / 4
    assert "its price varied" in one.sentence and "times less from one period to the next than before." in one.sentence
    changes = evaluate_run(priced(18 + spread * NOISE[:100])).changes
    assert any(abs(change.period - 20) <= 2 for change in changes)
    assert "spread_changed" not in found(priced(18 + NOISE[:100]))


def test_a_rise_of_the_spread_is_detected_and_shrinking_steps_are_not_a_change():
    rise = spread_change((NOISE[:100] * np.where(np.arange(100) < 60, 0.05, 0.5)).tolist(), STEP)
    assert abs(rise.position - 60) <= 2 and rise.after > 5 * rise.before
    assert spread_change((NOISE[:100] * np.geomspace(5, 0.5, 100)).tolist(), STEP) is None
    assert spread_change([0.0, 1.0] * 10, STEP) is None
    assert spread_change([1.0] * 100, STEP) is None


# Notes


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        ("Period 7: keep $18.20.", "Period 12: keep $9.95.", True),
        ("On 2026-11-27 at 12:30", "on 2025-01-03 at 9:05", True),
        ("3 Nov 2026, 4 % down", "12 February 2025, 40% down", True),
        ("1st try, +5 to −3", "22nd try, 7 to 4", True),
        ("Keep W7 on T2", "Keep W7 on T3", False),
        ("Buy Offer_3: 5", "Buy Offer_4: 5", False),
        ("It may rise", "It rises", False),
    ],
)
def test_wordings_that_differ_in_numbers_dates_and_prices_are_the_same(one, other, is_same):
    assert (without_numbers(one) == without_numbers(other)) is is_same


def test_likeness_ignores_numbers_and_names_with_numbers():
    assert distinct_words("Raise Product_1 to 18.20 in period 3, or W7") == {"raise", "period"}
    assert likeness(distinct_words("keep prices high"), distinct_words("keep prices low")) == 0.5
    assert likeness(frozenset(), frozenset()) == 1.0


CALM = ["Hold the price near the peak.", "Small steps around the plateau only.", "Demand drifts slowly, follow gently."]
BOLD = ["Undercut everybody at once.", "Gamble on extreme bets each round.", "Ignore what worked earlier, explore."]


def said(sentences, period):
    """Two of three sentences, in turn, below a counter."""
    return f"Period {period}. {sentences[period % 3]} {sentences[(period + 1) % 3]} Best so far: {10 + period / 7:.2f}"


def test_a_new_vocabulary_of_notes_is_detected_and_new_numbers_are_ignored():
    turned = {period: said(CALM if period < 30 else BOLD, period) for period in range(60)}
    one = found(priced([18] * 60, {"seat_0": turned}))["strategy_changed"]
    assert one.period == 30
    assert (
        one.sentence.startswith("From period 30 on, its notes use other words: new are “")
        and "gone are" in one.sentence
    )
    steady = {period: said(CALM, period) for period in range(60)}
    findings = found(priced([18] * 60, {"seat_0": steady}))
    assert not {"strategy_changed", "notes_unchanged"} & set(findings)
    assert "strategy_changed" in evaluate_run(priced([18] * 60, {"seat_0": {0: "a", 1: "b"}})).inapplicable
    assert max(change.size for change in rewordings(steady)) < 0.1


def test_only_the_beginnings_of_long_notes_are_compared():
    rng = np.random.default_rng(1)
    letters = rng.integers(97, 123, (24, MOST_READ, 4), dtype=np.uint8)
    notes = {period: " ".join(bytes(word).decode() for word in words) for period, words in enumerate(letters)}
    assert rewordings(notes) == rewordings({period: text[:MOST_READ] for period, text in notes.items()}) != []


def test_a_changed_counter_does_not_change_the_notes():
    counted = {period: f"Period {period}: hold the price near the peak." for period in range(60)}
    one = found(priced([18] * 60, {"seat_0": counted}))["notes_unchanged"]
    assert one.sentence == "Its notes are word for word the same but for numbers from period 0 to 59."
    assert "notes" not in {change.rule for change in evaluate_run(priced([18] * 60, {"seat_0": counted})).changes}


def test_a_growing_log_of_results_is_not_a_copy_of_notes():
    log = {period: "\n".join(f"- {i}: {i / 3:.2f}" for i in range(period + 1)) for period in range(60)}
    assert not {"notes_unchanged", "strategy_changed"} & set(found(priced([18] * 60, {"seat_0": log})))


# The largest changes


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_run_that_changes_has_up_to_three_largest_changes(name):
    from tests.environments.cast import random_action

    difficulty = "BASIC" if name in ("procurement", "scheduling", "pricing") else "STANDARD"
    game, rng = ENVIRONMENTS[name](instance_of(name, difficulty)), np.random.default_rng(1)
    while not game.finished and game.period < 30:
        game.step(random_action(game, rng))
    changes = evaluate_run(FinishedRun(game.instance, game.outcomes, game.periods)).changes
    assert 1 <= len(changes) <= MOST and [one.value for one in changes] == sorted(
        (c.value for c in changes), reverse=True
    )
    assert all(0 < one.period < game.period and one.sentence for one in changes)


def test_constant_runs_and_runs_of_three_periods_have_no_largest_change():
    assert evaluate_run(priced([18] * 60)).changes == []
    assert evaluate_run(priced([18, 2.5, 18])).changes == []


def test_a_change_with_missing_values_is_left_out():
    run = priced([18] * 10 + [12] * 10)
    bare = [Outcome(one.period, one.action, {}) for one in run.outcomes]
    assert [(one.rule, one.period) for one in evaluate_run(FinishedRun(run.instance, bare, 100)).changes] == [
        ("actions", 10)
    ]


@given(st.lists(st.sampled_from([0.0, 0.5, 1.0, 4.0]), min_size=4, max_size=9), st.integers(1, 2))
def test_no_other_segments_fit_a_series_better(values, shortest):
    noise = [1.0 + i % 3 for i in range(len(values))]

    def cost(ends):
        total = 0.0
        for start, end in pairwise(ends):
            weights = 1 / np.square(noise[start:end])
            mean = np.average(values[start:end], weights=weights)
            total += float((weights * (np.array(values[start:end]) - mean) ** 2).sum())
        return total

    jumps = list(_jumps(values, noise, shortest))
    ends = (0, *(place for _, place, _, _ in jumps), len(values))
    others = ((0, *inner, len(values)) for inner in combinations(range(1, len(values)), len(jumps)))
    possible = [one for one in others if min(end - start for start, end in pairwise(one)) >= shortest]
    assert len(jumps) == min(MOST, len(values) // shortest - 1)
    assert cost(ends) <= min(map(cost, possible)) + 1e-9
