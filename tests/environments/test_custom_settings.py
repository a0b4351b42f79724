"""Custom settings are bounded and validated; every problem is a plain sentence beside its setting."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from environments.base import InvalidSettings
from environments.generation import base_of, is_design
from environments.registry import ENVIRONMENTS, GENERATION, generate
from tests.environments.cast import SMALL, small_settings


def refusal(name, chosen):
    with pytest.raises(InvalidSettings) as refused:
        generate(name, "CUSTOM", 0, settings=chosen)
    assert all(text.endswith(".") for text in refused.value.errors.values())
    return refused.value.errors


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "setting"), [(name, setting.name) for name in GENERATION for setting in GENERATION[name].settings]
)
@pytest.mark.parametrize("value", [None, True, "5", [], math.nan, math.inf, -1, 10**400])
def test_a_value_of_the_wrong_kind_or_out_of_bounds_is_refused(name, setting, value):
    assert setting in refusal(name, small_settings(name) | {setting: value})


@pytest.mark.parametrize("name", list(ENVIRONMENTS))
def test_a_refusal_lists_missing_and_unknown_settings(name):
    needed = {setting.name for setting in GENERATION[name].settings if setting.usual is None}
    assert set(refusal(name, {"colour": 1})) == {"colour", *needed}


@pytest.mark.parametrize("name", list(ENVIRONMENTS))
def test_an_optional_setting_at_its_usual_value_changes_nothing(name):
    """So the published difficulties, which leave these settings out, stay the same problems under the same hashes."""
    generation, chosen = GENERATION[name], small_settings(name)
    plain = generate(name, "CUSTOM", 3, settings=chosen, with_reference=False)
    whole = generate(name, "CUSTOM", 3, settings=generation.filled(chosen), with_reference=False)
    assert (whole, whole.content_hash) == (plain, plain.content_hash)
    for setting in generation.settings:
        if setting.usual is None:
            continue
        assert all(setting.name not in difficulty for difficulty in generation.difficulties.values())
        other = generate(name, "CUSTOM", 3, settings=chosen | {setting.name: setting.high}, with_reference=False)
        assert (other.parameters, other.hidden) != (plain.parameters, plain.hidden)


def test_budget_and_market_scale_exactly_with_their_settings():
    chosen = SMALL["procurement"]
    cost, more = (
        generate("procurement", "CUSTOM", 1, settings=chosen | {"budget_factor": factor}, with_reference=False)
        for factor in (1, 3)
    )
    dime = more.parameters["budget_cents"] - 3 * cost.parameters["budget_cents"]
    assert more.parameters["offers"] == cost.parameters["offers"] and -200 <= dime <= 0
    one, ten = (
        generate("pricing", "CUSTOM", 1, settings=SMALL["pricing"] | {"market_size": size}) for size in (100, 1000)
    )
    assert ten.reference["optimal_profit"] == pytest.approx(10 * one.reference["optimal_profit"])
    assert ten.reference["optimal_prices"] == one.reference["optimal_prices"]


def test_a_saved_design_generates_the_same_values_as_custom_settings():
    chosen = SMALL["pricing"]
    design = generate("pricing", "CUSTOM+TIGHT-2", 4, settings=chosen)
    custom = generate("pricing", "CUSTOM", 4, settings=chosen)
    assert (design.parameters, design.hidden, design.reference) == (custom.parameters, custom.hidden, custom.reference)
    assert design.content_hash != custom.content_hash


@pytest.mark.parametrize(
    ("difficulty", "base"),
    [
        ("HARD", "HARD"),
        ("CUSTOM", "CUSTOM"),
        ("CUSTOM+A", "CUSTOM"),
        ("CUSTOM+TIGHT-BUDGET-2", "CUSTOM"),
        (f"CUSTOM+{'A' * 40}", "CUSTOM"),
    ],
)
def test_base_of_and_is_design_recognise_every_difficulty(difficulty, base):
    assert base_of(difficulty) == base
    assert is_design(difficulty) is (difficulty.startswith("CUSTOM+"))


@pytest.mark.parametrize(
    "difficulty",
    ["CUSTOM+", "CUSTOM+a", "CUSTOM+A-", "CUSTOM+-A", "CUSTOM+A B", f"CUSTOM+{'A' * 41}", "HARD+A", "CUSTOM+A\n"],
)
def test_an_invalid_name_of_a_design_is_refused(difficulty):
    assert base_of(difficulty) == difficulty
    with pytest.raises(InvalidSettings, match="There is no difficulty"):
        generate("pricing", difficulty, 0, settings=SMALL["pricing"])


def test_inconsistent_settings_are_refused():
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


@pytest.mark.sampled
@settings(max_examples=40)
@given(data=st.data(), seed=st.integers(0, 2**32 - 1), generator=st.sampled_from(["published", "paper_text"]))
@pytest.mark.parametrize("name", list(ENVIRONMENTS))
def test_settings_within_bounds_generate_an_instance_or_give_a_reason(name, data, seed, generator):
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
        assert GENERATION[name].filled(instance.settings) == chosen
