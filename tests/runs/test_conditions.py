"""Runs are pooled only if their models were called under the same conditions."""

import pytest

from runs.conditions import KEY_LENGTH, conditions_key, describe, difference, merged

SENT = {
    "wire": "responses", "forced": True, "effort": "medium", "thinking": "summary", "max_tokens": None, "left_out": [],
    "model": "gpt-6.2-sol", "tier": "default",
}  # fmt: skip


def key(**changes):
    return conditions_key({"seat_0": SENT | changes})


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"forced": False}, "tools not forced"),
        ({"effort": ""}, "effort not set instead of medium"),
        ({"wire": "chat"}, "wire format chat instead of responses"),
        ({"model": "gpt-7"}, "gpt-7 answered instead of gpt-6.2-sol"),
        ({"thinking": "adaptive"}, "thinking adaptive instead of not asked for"),
        ({"left_out": ["temperature"]}, "temperature left out"),
        ({"changed": True}, "asked in two ways within a run"),
        ({"wire": "chat", "forced": False}, "tools not forced, wire format chat instead of responses"),
    ],
)
def test_conditions_that_affect_answers_separate_runs(changes, words):
    assert difference(key(**changes), key()) == words


@pytest.mark.parametrize(
    "changes",
    [{"tier": "flex"}, {"max_tokens": 9}, {"left_out": ["strict"]}, {"thinking": ""}, {"accepted": ["gpt-7"]}],
)
def test_conditions_that_affect_only_time_or_money_do_not_separate_runs(changes):
    assert key(**changes) == key()


def test_runs_without_conditions_differ_from_all_other_runs():
    assert conditions_key({}) == ""
    assert difference("", key()) == "how its model was asked is not recorded"
    assert difference(key(), "") == "how the model of its other runs was asked is not recorded"


def test_seats_with_the_same_conditions_share_a_key():
    assert conditions_key({"seat_1": SENT, "seat_0": SENT}) == key()
    assert describe(key(forced=False)) == "responses, tools not forced, effort medium, gpt-6.2-sol"


def test_the_key_of_a_long_model_name_fits_its_column():
    long, other = key(model="x" * 500), key(model="y" * 500)
    assert long != other and len(long) <= KEY_LENGTH
    assert difference(long, key()) == "with other models or settings" and describe(long) == ""


def test_a_run_with_mixed_conditions_stays_marked():
    once = merged({}, {"seat_0": SENT})
    assert once == {"seat_0": SENT} and merged(once, {"seat_0": SENT}) == once
    twice = merged(once, {"seat_0": SENT | {"forced": False}})
    assert twice["seat_0"]["changed"] and merged(twice, {"seat_0": SENT | {"forced": False}}) == twice
