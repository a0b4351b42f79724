"""Presets on the command line: the whole paper by one command, replaced values, scales, refusals."""

import json

import pytest
from django.core.management import call_command

from runs.launching.presets import BY_SLUG, WHOLE_PAPER
from runs.models import Experiment, Run

QUICKLY = ("--json", "--scale", "0.01")


def printed(capsys, *arguments):
    call_command(*arguments)
    return json.loads(capsys.readouterr().out)


def refused(capsys, *arguments):
    with pytest.raises(SystemExit) as exit:
        call_command(*arguments)
    assert exit.value.code == 2
    return capsys.readouterr().err.strip()


def test_the_whole_paper_is_one_launch_of_five_experiments(organization, capsys):
    experiments = printed(capsys, "launch", "--preset", "paper", *QUICKLY)["experiments"]
    assert [each["name"] for each in experiments] == [part.title for part in WHOLE_PAPER]
    assert [each["left_out"] for each in experiments[:3]] == [
        *["11 of 12 seeds (1-11)"] * 2,
        "19 of 20 repetitions of each question",
    ]
    variants = [{run["variant"] for run in each["runs"]} for each in experiments]
    assert variants == [
        {"main"},
        {"known_horizon", "known_horizon_and_goal"},
        {"main", "interest_rate", "user_name"},
        {"main", "efficiency", "equality"},
        {"main", "single_agent"},
    ]


def test_the_whole_paper_has_the_numbers_of_runs_that_the_paper_states(organization, capsys):
    words = ("--agent", "gpt-4-1", "--json")
    runs = [each["runs"] for each in printed(capsys, "estimate", "--preset", "paper", *words)["experiments"]]
    # 3 environments x 3 difficulties x 12; 2 prompts x 3 x 12; 3 surveys; 3 goals x 18; 21 markets and 3 single sellers.
    assert runs == [108, 72, 3, 54, 24]
    assert not Experiment.objects.exists()


def test_an_error_in_a_later_experiment_leaves_nothing_launched(organization, capsys):
    # Runs of efficiency against equality have 30 periods.
    sentence = refused(capsys, "launch", "--preset", "paper", "--periods", "50", *QUICKLY)
    assert sentence == (
        "Efficiency against equality (table 3): A run here has 1 to 30 periods; leave it empty for as many as the "
        "papers play."
    )
    assert not Run.objects.exists()


def test_options_beside_a_preset_replace_its_values(organization, capsys):
    words = ("--environment", "pricing", "--agent", "random", "--seeds", "7", "--name", "Mine", "--json")
    (experiment,) = printed(capsys, "launch", "--preset", "quick", *words)["experiments"]
    assert (experiment["name"], experiment["left_out"]) == ("Mine", "")
    assert [(run["environment"], run["seed"], run["agent"]) for run in experiment["runs"]] == [("pricing", 7, "random")]


def test_the_easier_alternative_to_hard_differs_from_it_in_size_only(organization, capsys):
    printed(capsys, "launch", "--preset", "easier", "--agent", "random", "--seeds", "0", "--json")
    settings = Experiment.objects.get().spec["settings"]
    assert (settings["products"], settings["categories"]) == (40, 5)
    hard = {"lowest_effectiveness": 1, "highest_effectiveness": 20, "bundle_probability": 0.1}
    assert hard.items() <= settings.items()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("--scale", "0.5"), "--scale goes with --preset."),
        (("--preset", "quick", "--scale", "2"), "--scale is more than 0 and at most 1."),
        (("--preset", "quick", "--scale", "0.5", "--seeds", "0"), "Give --seeds or --scale, not both."),
        (("launch.yaml", "--preset", "quick"), "Give a file or --preset, not both."),
    ],
)
def test_wrong_use_is_refused_with_one_sentence(organization, capsys, words, sentence):
    assert refused(capsys, "estimate", *words) == sentence


def test_a_scale_of_one_leaves_nothing_out():
    assert all(preset.scaled(1) == (preset, "") for preset in BY_SLUG.values())
