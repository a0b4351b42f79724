"""Custom settings are bounded and checked; every problem is one plain sentence beside its setting."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.base import InvalidSettings
from environments.registry import ENVIRONMENTS, GENERATION, generate
from tests.environments.cast import SMALL, small_settings


def refusal(name, chosen):
    with pytest.raises(InvalidSettings) as refused:
        generate(name, "CUSTOM", 0, settings=chosen)
    assert all(text.endswith(".") for text in refused.value.errors.values())
    return refused.value.errors


@pytest.mark.parametrize(
    ("name", "setting"), [(name, setting.name) for name in GENERATION for setting in GENERATION[name].settings]
)
@pytest.mark.parametrize("value", [None, True, "5", [], math.nan, math.inf, -1, 10**400])
def test_a_value_of_the_wrong_kind_or_out_of_bounds_is_refused(name, setting, value):
    assert setting in refusal(name, small_settings(name) | {setting: value})


@pytest.mark.parametrize("name", list(ENVIRONMENTS))
def test_missing_and_unknown_settings_are_named(name):
    assert set(refusal(name, {"colour": 1})) == {"colour", *(setting.name for setting in GENERATION[name].settings)}


def test_settings_that_do_not_fit_together_are_refused():
    assert "categories" in refusal("procurement", SMALL["procurement"] | {"categories": 4})
    assert "highest_effectiveness" in refusal("procurement", SMALL["procurement"] | {"lowest_effectiveness": 9})
    assert "nests" in refusal("pricing", {"products": 1, "nests": 2})
    assert "nests" in refusal("pricing", {"products": 8, "nests": 5})
    market = SMALL["collusiveness_vs_competitiveness"]
    assert "quality" in refusal("collusiveness_vs_competitiveness", market | {"quality": 1.5})


@pytest.mark.parametrize("name", list(ENVIRONMENTS))
@pytest.mark.parametrize(
    ("wrong", "arguments"),
    [
        ("difficulty", ("EASY", 0, "published")),
        ("generator", ("CUSTOM", 0, "improved")),
        ("seed", ("CUSTOM", -1, "published")),
        ("seed", ("CUSTOM", 2**32, "published")),
        ("seed", ("CUSTOM", True, "published")),
    ],
)
def test_an_unknown_difficulty_generator_or_seed_is_refused(name, wrong, arguments):
    with pytest.raises(InvalidSettings) as refused:
        generate(name, *arguments)
    assert set(refused.value.errors) == {wrong}


@settings(max_examples=40, deadline=None)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1), generator=st.sampled_from(["published", "paper_text"]))
@pytest.mark.parametrize("name", list(ENVIRONMENTS))
def test_settings_within_bounds_generate_or_say_why_not(name, data, seed, generator):
    chosen = {
        s.name: data.draw(
            st.integers(int(s.low), max(int(s.low), min(int(s.high), 24)))
            if s.whole
            else st.floats(max(s.low, 0.2), s.high)
        )
        for s in GENERATION[name].settings
    }
    try:
        instance = generate(name, "CUSTOM", seed, generator, settings=chosen, with_reference=False)
    except InvalidSettings as refused:
        assert refused.errors
    else:
        assert instance.settings == chosen
