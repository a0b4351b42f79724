"""From typed values to the planned runs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runs.estimating.estimates import estimate
from runs.launching.again import plan_as_command
from runs.launching.plan import LaunchError, format_seeds, parse_seeds
from runs.models import Experiment, Instance, Run
from tests.stub_provider import StubAnswer, StubProvider


@pytest.mark.parametrize(
    ("text", "seeds"), [("0-2", (0, 1, 2)), ("7", (7,)), ("3, 1 1–2", (1, 2, 3)), ("0-2,5", (0, 1, 2, 5))]
)
def test_typed_seeds_are_parsed(text, seeds):
    assert parse_seeds(text) == seeds


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "Give at least one seed, such as 0-2."),
        ("a", "'a' is not a seed or a range of seeds such as 0-11."),
        ("-1", "'-1' is not a seed or a range of seeds such as 0-11."),
        ("5-2", "The range 5-2 runs backwards; write 2-5."),
        ("0-999999999", "At most 1,000 seeds fit in one experiment."),
        ("9999999999", "Seeds go up to 4294967295."),
    ],
)
def test_invalid_seeds_get_a_plain_sentence(text, sentence):
    with pytest.raises(LaunchError) as error:
        parse_seeds(text)
    assert error.value.errors == {"seeds": sentence}


@given(st.sets(st.integers(0, 300), min_size=1, max_size=60))
def test_seeds_survive_a_round_trip(seeds):
    assert parse_seeds(format_seeds(seeds)) == tuple(sorted(seeds))


def test_baselines_play_only_their_own_environments(plan):
    runs = plan("scheduling-knuth", "random", environments=("scheduling", "pricing"), seeds=(0,)).runs
    played = {(run.agent.slug, run.environment) for run in runs}
    assert played == {("scheduling-knuth", "scheduling"), ("random", "scheduling"), ("random", "pricing")}


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ({"environments": ()}, "environments"),
        ({"environments": ("chess",)}, "environments"),
        ({"difficulties": ()}, "difficulties"),
        ({"difficulties": ("IMPOSSIBLE",)}, "difficulties"),
        ({"seeds": ()}, "seeds"),
        ({"variants": ("known_horizon",)}, "variants"),
        ({"periods": 0}, "periods"),
        ({"periods": 101}, "periods"),
        ({"generator": "dice"}, "generator"),
        ({"difficulties": ("CUSTOM",), "settings": {"products": 0, "nests": 1}}, "products"),
        ({"difficulties": ("CUSTOM",), "settings": {"products": 4}}, "nests"),
        ({"difficulties": ("CUSTOM",), "environments": ("pricing", "scheduling")}, "difficulties"),
    ],
)
def test_an_impossible_plan_reports_the_invalid_field(plan, options, field):
    with pytest.raises(LaunchError) as error:
        plan("random", **options)
    assert list(error.value.errors) == [field]
    assert error.value.errors[field].endswith(".")


def test_a_launch_creates_a_row_per_run_and_shares_instances(launch):
    launch("random", "optimum", seeds=(0, 1))
    launch("random", seeds=(1, 2))
    assert (Experiment.objects.count(), Run.objects.count(), Instance.objects.count()) == (2, 6, 3)


def test_a_custom_difficulty_is_launched_with_its_settings(launch):
    settings = {"products": 2, "nests": 1}
    instance = launch("random", difficulties=("CUSTOM",), settings=settings).runs.get().instance
    assert instance.settings == settings
    assert instance.parameters["products"] == ["Product_1", "Product_2"]


def test_an_estimate_lists_agents_without_price_or_key(organization, plan, model_agent, monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with StubProvider(lambda *_: StubAnswer()) as stub:
        house = model_agent(stub)
    result = estimate(plan("gpt-4o", house.slug, "random"), organization)
    assert (result.runs, result.periods, result.calls) == (3, 300, 2 * 100 * 2)
    assert (result.missing_keys, result.unpriced, result.cost_nano) == (["GPT-4o"], [house.name], None)


def test_the_command_of_a_launch_repeats_the_launch(plan):
    launched = plan("random", seeds=(0, 1, 2, 7), periods=50)
    words = plan_as_command(launched, name="A first look", budget_nano=2_500_000_000)
    assert words == (
        "bin/econevals launch --environment pricing --difficulty BASIC --seeds 0-2,7 --agent random --periods 50 "
        "--budget 2.5 --name 'A first look'"
    )
