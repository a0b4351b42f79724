"""The data that a player observes of past periods: exactly what the history prints."""

import json
import re
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.registry import ENVIRONMENTS
from tests.environments.cast import SURVEYS, act, game, random_action

TOOLS = [name for name in ENVIRONMENTS if name not in SURVEYS]
GAMES = [(name, variant) for name in TOOLS for variant in ENVIRONMENTS[name].variants]
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")
PRICES = (0, 0.005, 12345.6789, 1e300)
EXTREMES = {
    "procurement": lambda game: [dict.fromkeys(game.menu.by_id, n) for n in (0, 1, 10**9)],
    "pricing": lambda game: [dict.fromkeys(game.products, price) for price in PRICES],
    "collusiveness_vs_competitiveness": lambda game: [dict.fromkeys(game.seats, price) for price in PRICES],
}


def played(name, variant, seed, periods=5):
    """A game after some random periods and the extreme actions of its environment."""
    environment = game(name, variant=variant)
    rng = np.random.default_rng(seed)
    while environment.period < periods and not environment.finished:
        act(environment, str(random_action(environment, rng)))
    for action in EXTREMES.get(name, lambda game: [])(environment):
        act(environment, str(action))
    return environment


def leaves(value):
    if isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from leaves(inner)
    else:
        yield value


def altered(value):
    """Copies of a result, each with another value in one place, or without the first item of one list."""
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int | float):
        yield -value - 1
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from (value | {key: other} for other in altered(inner))
    elif value and isinstance(value, list):
        yield value[1:]


@pytest.mark.parametrize(("name", "variant"), GAMES)
@settings(max_examples=8)
@given(seed=st.integers(0, 2**32 - 1))
def test_every_observed_value_is_printed(name, variant, seed):
    environment = played(name, variant, seed)
    for seat in environment.seats:
        for outcome in environment.outcomes:
            observed, text = environment.observed(outcome, seat), environment.feedback(outcome, seat)
            assert json.loads(json.dumps(observed, allow_nan=False)) == observed
            assert observed["period"] == outcome.period
            printed = set(map(float, NUMBER.findall(text)))
            for value in leaves(observed):
                if isinstance(value, str):
                    assert value in text
                elif isinstance(value, int | float) and not isinstance(value, bool):
                    assert float(value) in printed, (value, text)


@pytest.mark.parametrize(("name", "variant"), GAMES)
@settings(max_examples=4)
@given(seed=st.integers(0, 2**32 - 1))
def test_a_result_value_is_observed_exactly_if_it_is_printed(name, variant, seed):
    environment = played(name, variant, seed)
    shown = hidden = 0
    for seat in environment.seats:
        for outcome in environment.outcomes:
            for result in altered(deepcopy(outcome.result)):
                other = replace(outcome, result=result, quality=0.123)
                is_printed = environment.feedback(other, seat) != environment.feedback(outcome, seat)
                assert is_printed == (environment.observed(other, seat) != environment.observed(outcome, seat)), result
                shown, hidden = shown + is_printed, hidden + (not is_printed)
    # A random matching that is stable in the first period ends the game, and nothing of it is printed.
    assert shown or (name == "scheduling" and len(environment.outcomes) == 1)
    # A single seller has no competitor with hidden sales.
    assert hidden or (name, variant) == ("collusiveness_vs_competitiveness", "single_agent")


def test_hidden_values_are_not_observed():
    hidden = {"share_of_optimum", "total_profit", "pairs", "blocking_pairs", "stable", "inequality", "quantities"}
    for name, variant in GAMES:
        environment = played(name, variant, 3)
        for seat in environment.seats:
            text = json.dumps([environment.observed(outcome, seat) for outcome in environment.outcomes])
            assert not [key for key in hidden if f'"{key}"' in text]


def test_a_survey_shows_no_past_periods():
    for name in SURVEYS:
        environment = game(name)
        act(environment, random_action(environment, np.random.default_rng(0)))
        assert environment.observed(environment.outcomes[0]) == {"period": 0}


def test_sellers_observe_their_own_sales_and_the_price_of_the_rival():
    environment = game("collusiveness_vs_competitiveness")
    outcome = act(environment, {"seat_0": 4.25, "seat_1": 5})
    for seat, rival in (("seat_0", "seat_1"), ("seat_1", "seat_0")):
        assert environment.observed(outcome, seat) == {
            "period": 0,
            "price": outcome.action[seat],
            "quantity": round(outcome.result["quantities"][seat], 2),
            "profit": round(outcome.result["profits"][seat], 2),
            "cost": 1.5,
            "competitors": {"Competitor 1": {"price": outcome.action[rival]}},
        }


@pytest.mark.parametrize(("name", "variant"), GAMES)
def test_a_history_from_a_period_is_the_end_of_the_full_history(name, variant):
    environment = played(name, variant, 11)
    for seat in environment.seats:
        whole = environment.history(seat)
        assert environment.call(environment.history_tool, seat) == whole == environment.history(seat, 0)
        for since in range(environment.period):
            part = environment.call(environment.history_tool, seat, since)
            # The last chapters of the whole text; a market has such an end for each seller, under a heading.
            attempts = [int(number) for number in re.findall(r"^(?:Attempt|Period) (\d+):$", part, re.MULTILINE)]
            tellers = len(environment.seats)
            assert attempts == [*range(since, environment.period)] * tellers
            assert all(paragraph in whole for paragraph in re.sub(r"^.* data:\n", "", part, flags=re.M).split("\n\n"))
            assert re.findall(r"^.* data:$", part, re.MULTILINE) == re.findall(r"^.* data:$", whole, re.MULTILINE)
        assert environment.history(seat, environment.period) == environment.no_history
