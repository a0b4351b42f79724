"""A malformed action never ends a run or a period: the agent reads a sentence and tries again."""

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.base import ToolError
from environments.registry import ENVIRONMENTS
from tests.environments.cast import act, game, random_action

every_environment = pytest.mark.parametrize("name", list(ENVIRONMENTS))

NEVER_A_DICT = [
    None, True, 7, [["a", 1]], "", "{", "()", "null", "{'a'}", "{'a': 1", "{'a' 1}", "{'a': }", "{'a': 1,, 'b': 2}",
    "{1: 2}", "{'a': [1]}", "{'a': {'b': 1}}", "{'a': 1} {'b': 2}", "{'a': __import__('os')}", "{'a': 1 + 1}",
    "{'a': 'b' 'c'}", "{'a':" * 13_000, "[" * 60_000, "{'a': " + "9" * 60_000 + "}", "{'a': '" + "\\" * 60_000,
    "x" * 70_000, "{'a': '\\ud800'}", "{'\ud800': 1}", {"a": [1]}, {"a": {"b": {}}}, {1: 2}, {"a": 10**5000},
    {"\ud800": 1}, '{"a": 1, "a": 2}',
]  # fmt: skip
BAD_VALUES = [
    None, True, False, math.nan, math.inf, -math.inf, -1, -0.5, 10**400, -(10**400), 10**5000, "", "1", "T0", [], {},
    "x" * 70_000, "\ud800",
]  # fmt: skip


def assert_refused(environment, raw):
    with pytest.raises(ToolError) as refusal:
        environment.parse_joint(raw)
    message = str(refusal.value)
    assert message.endswith(".") and "\n" not in message and len(message) < 400
    message.encode()
    assert environment.period == 0 and not environment.outcomes


@pytest.mark.sampled
@every_environment
@pytest.mark.parametrize(
    "raw", NEVER_A_DICT, ids=lambda raw: ascii(raw)[:30] if not isinstance(raw, dict) else "mapping"
)
def test_an_invalid_dictionary_is_refused_with_a_sentence(name, raw):
    assert_refused(game(name), raw)


@every_environment
@pytest.mark.parametrize("value", BAD_VALUES, ids=lambda value: type(value).__name__)
def test_a_bad_value_is_refused_as_a_mapping_and_as_text(name, value):
    environment = game(name)
    action = random_action(environment, np.random.default_rng(1))
    action[next(iter(action))] = value
    assert_refused(environment, action)
    if not (isinstance(value, int) and abs(value) > 10**4000):
        assert_refused(environment, str(action))
        assert_refused(environment, json.dumps(action))


@every_environment
def test_a_refusal_lists_unknown_and_missing_names(name):
    environment = game(name)
    action = random_action(environment, np.random.default_rng(1))
    with pytest.raises(ToolError, match="Nobody_9"):
        environment.parse_joint(action | {"Nobody_9": 1})
    missing = next(iter(action))
    del action[missing]
    if name != "procurement":
        with pytest.raises(ToolError, match=missing):
            environment.parse_joint(str(action))


@pytest.mark.parametrize(
    ("name", "letter", "many", "says"),
    [
        ("scheduling", "W", 5, "T1 is given to both W1 and W2"),
        ("efficiency_vs_equality", "T", 3, "W1 .* both T1 and T2"),
    ],
)
def test_a_refusal_of_a_repeated_value_lists_both_keys(name, letter, many, says):
    with pytest.raises(ToolError, match=says):
        game(name).parse_action({f"{letter}{i + 1}": "W1" if letter == "T" else "T1" for i in range(many)})


@pytest.mark.parametrize("raw", [None, "", "null", "{'a': 1"])
def test_the_action_of_a_single_seat_is_validated(raw):
    with pytest.raises(ToolError):
        game("collusiveness_vs_competitiveness").parse_action(raw, "seat_1")


def test_offers_left_out_of_a_plan_count_as_zero_and_an_empty_plan_is_valid():
    environment = game("procurement")
    plan = environment.parse_action("{}")
    assert set(plan.values()) == {0} and len(plan) == len(environment.instance.parameters["offers"])
    assert environment.step(plan).result["feasible"] is True


def test_whole_floats_are_quantities_and_whole_numbers_are_prices():
    assert game("procurement").parse_action("{'Offer_1': 2.0}")["Offer_1"] == 2
    whole = {f"Product_{i}": i for i in (1, 2, 3)}
    assert game("pricing").parse_action(whole) == whole


scalars = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(), max_size=8)
    | st.sampled_from(["Offer_1", "W1", "T1", "Product_1", 10**400])
)  # fmt: skip
objects = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(scalars.filter(bool), inner, max_size=4)
)
PIECES = ["{", "}", ":", ",", "'", '"', "\\", "Offer_1", "'W1'", "'T1'", "1", "-", ".", "e9", "nan", " ", "[", "\0"]
fragments = st.lists(st.sampled_from(PIECES), max_size=30).map("".join)


@pytest.mark.sampled
@every_environment
@settings(max_examples=80)
@given(raw=objects | fragments | objects.map(repr) | st.text())
def test_any_input_is_parsed_or_refused_with_a_sentence(name, raw):
    environment = game(name)
    try:
        action = environment.parse_joint(raw)
    except ToolError as error:
        assert str(error).endswith(".")
        assert environment.period == 0
    else:
        outcome = environment.step(action)
        json.dumps(outcome.as_json(), allow_nan=False)


prices = st.floats(min_value=0, allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("name", "keys", "values"),
    [
        ("pricing", [f"Product_{i}" for i in (1, 2, 3)], prices),
        ("collusiveness_vs_competitiveness", ["seat_0", "seat_1"], prices),
        ("procurement", [f"Offer_{i}" for i in range(1, 7)], st.integers(0, 10**9)),
    ],
)
@settings(max_examples=60)
@given(data=st.data())
def test_any_valid_numbers_give_finite_outcomes_and_metrics(name, keys, values, data):
    environment = game(name, periods=1)
    outcome = act(environment, {key: data.draw(values) for key in keys})
    json.dumps([outcome.as_json(), environment.metrics(environment.instance, [outcome], 1)], allow_nan=False)
    assert all(environment.call(environment.history_tool, seat) for seat in environment.seats)
