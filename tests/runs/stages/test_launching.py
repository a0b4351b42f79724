"""Launching in stages: refusals, planning, and repeated launches that keep the stages."""

import json

import pytest
from django.core.management import call_command

from runs.launching.again import spec_as_plan, spec_as_request
from runs.launching.checks import parse_stages
from runs.launching.plan import LaunchError, LaunchPlan
from runs.stages.page import staged_panel
from runs.stages.planning import comparison_plan
from runs.stages.words import advice
from runs.watching import play_here
from tests.cast import LAUNCH_FORM
from tests.queries import SIGNED_IN, queries_of
from tests.runs.stages.conftest import UNEQUAL

TWO = LAUNCH_FORM | {"seeds": "0-11", "stages": "4, 8, 12", "points": "5"}


@pytest.mark.long
def test_the_form_launches_in_stages_and_duplicates_and_commands_keep_them(page, organization):
    assert page.post("/experiments/new/", TWO).status_code == 302
    experiment = organization.experiments.get()
    assert experiment.staged.sizes == [4, 8, 12] and experiment.staged.planned == 5.0
    again = page.get(f"/experiments/new/?from={experiment.pk}").text
    assert 'value="4, 8, 12"' in again and 'name="points" value="5"' in again
    assert "--points 5 --stages 4 8 12" in again and "8, 16, 24 runs" in again
    shown = page.get(f"/experiments/{experiment.pk}/").text
    assert "--stages 4 8 12" in shown and "&quot;points&quot;: 5.0, &quot;stages&quot;: [4, 8, 12]" in shown
    plan = spec_as_plan(experiment.spec, organization)
    assert (plan.stages, plan.points) == ((4, 8, 12), 5.0)
    assert spec_as_request(experiment.spec)["stages"] == [4, 8, 12]
    rest = page.get(f"/experiments/new/?from={experiment.pk}&seeds=8-11").text
    assert 'name="seeds" value="8-11"' in rest and "--stages" not in rest


@pytest.mark.long
def test_the_page_of_a_comparison_takes_exactly_three_more_queries(page, staged):
    for seeds in (6, 12):
        experiment = staged("random", "pricing-constant", stages=(3, seeds))
        assert queries_of(page, f"/experiments/{experiment.pk}/") == SIGNED_IN + 11 + 3


@pytest.mark.sampled
@pytest.mark.parametrize(("change", "sentence"), [
    ({"stages": "4, x"}, "'x' is not a number of seeds"),
    ({"stages": "12"}, "Give 2 to 6 stages"),
    ({"stages": "1 2 3 4 5 6 12"}, "Give 2 to 6 stages"),
    ({"stages": "8, 4, 12"}, "larger than the one before"),
    ({"stages": "0, 12"}, "larger than the one before"),
    ({"stages": "4, 8"}, "The last stage has all seeds: 12 are chosen and the last stage has 8."),
    ({"agents": ["random"]}, "Stages compare two agents; 1 is chosen."),
    ({"agents": ["random", "optimum", "pricing-constant"]}, "Stages compare two agents; 3 are chosen."),
    ({"environments": ["pricing", "scheduling"]}, "does not play scheduling"),
    ({"seeds": "0-4", "stages": "2, 5"}, "at least 6 instances; these stages have 5"),
    ({"points": "-1"}, "more than 0 and at most 100"),
    ({"points": "many"}, "a number of points, such as 5"),
    ({"points": "nan"}, "a number of points, such as 5"),
])  # fmt: skip
def test_invalid_stages_get_a_plain_sentence_beside_the_field(page, organization, change, sentence):
    response = page.post("/experiments/new/", TWO | change)
    assert response.status_code == 422 and sentence in response.text.replace("&#x27;", "'")
    assert not organization.experiments.exists()


def test_litmus_tests_and_several_variants_cannot_have_stages(agent):
    usual = {"seeds": tuple(range(12)), "stages": (4, 12), "agents": (agent("gpt-5"), agent("gpt-4o"))}
    litmus = {"environments": ("efficiency_vs_equality",), "difficulties": ("STANDARD",)}
    with pytest.raises(LaunchError, match="is a litmus test"):
        LaunchPlan(**usual, **litmus)
    horizon = {"environments": ("procurement",), "difficulties": ("BASIC",), "variants": ("main", "known_horizon")}
    with pytest.raises(LaunchError, match="one prompt variant"):
        LaunchPlan(**usual, **horizon)


def test_stages_count_seeds_in_every_environment_and_difficulty(agent):
    cells = {"environments": ("pricing", "scheduling"), "difficulties": ("BASIC", "HARD")}
    plan = LaunchPlan(agents=(agent("gpt-5"), agent("gpt-4o")), seeds=(3, 5, 9), stages=(1, 2, 3), **cells)
    assert plan.cells == 4 and [plan.stage_of(seed) for seed in (3, 5, 9)] == [1, 2, 3]
    assert parse_stages(" 4,8 ; 12 ") == parse_stages("4-8-12") == (4, 8, 12) and parse_stages("  ") == ()


@pytest.mark.long
def test_the_planner_needs_finished_runs_and_then_estimates_from_their_spread(page, organization, played, agent):
    def asked(**change):
        return page.post("/experiments/new/preview/", LAUNCH_FORM | {"points": "5", "periods": "4"} | change).text

    assert "too few runs have finished on pricing BASIC. Play 3 seeds with both agents first." in asked()
    played("random", "pricing-constant", seeds=tuple(range(5)))
    text = asked(points="100")
    assert "To tell Random from Constant prices by 100 points takes " in text and "which cost nothing" in text
    assert "the differences of these two agents on 5 instances" in text and 'name="use_seeds" value="0-' in text
    # Runs of another length have another spread.
    assert "too few runs have finished" in asked(periods="5")
    agents = (agent("random"), agent("pricing-constant"))
    plan = LaunchPlan(("pricing",), ("BASIC",), tuple(range(900)), agents, periods=4, points=100.0)
    found = comparison_plan(plan, organization)
    assert found.answer.endswith("The 900 chosen seeds are enough.") and not found.seeds and found.needed >= 6


@pytest.mark.long
def test_buttons_fill_in_the_suggested_seeds_and_stages(page):
    text = page.post("/experiments/new/fill/", TWO | {"use_seeds": "0-40"}).text
    assert 'name="seeds" value="0-40"' in text and 'value="4, 8, 12"' not in text
    text = page.post("/experiments/new/fill/", TWO | {"use_stages": "8, 10, 12"}).text
    assert 'name="stages" value="8, 10, 12"' in text


def test_a_design_that_cannot_stop_early_gets_advice_with_better_stages():
    told = advice((4, 8, 12), 1)
    assert told == (
        "After 4 instances no difference can stop the experiment: the smallest p of 4 instances is 0.125, and 0.00069 may "
        "be used there. Stages 8, 10, 12 can stop after each."
    )
    assert advice((8, 10, 12), 1) == "" and advice((4, 8, 12), 9) == ""


@pytest.mark.long
def test_the_command_line_plans_stages(played, capsys):
    played("random", "pricing-constant", seeds=tuple(range(5)))
    words = (
        "--environment pricing --difficulty BASIC --seeds 0-11 --periods 4 --agent random pricing-constant --points 100"
    )
    call_command("seeds", *words.split(), "--json")
    told = json.loads(capsys.readouterr().out)
    assert told["needed"] >= 6 and told["stages"] == "8, 10, 12"
    call_command("seeds", *words.split())
    assert capsys.readouterr().out.splitlines()[0] == told["answer"]


@pytest.mark.long
@pytest.mark.django_db(transaction=True)
def test_the_last_run_of_a_stage_triggers_the_look_and_the_command_continues(staged, capsys):
    experiment = staged(*UNEQUAL)
    play_here(experiment)
    assert staged_panel(experiment).comparison.state == "different"
    call_command("stages", experiment.pk, json=True)
    told = json.loads(capsys.readouterr().out)
    assert (told["state"], told["saved_runs"], len(told["stages"])) == ("different", 8, 3)
    assert told["stages"][1]["p"] == 2 / 128 and told["stages"][2]["p"] is None
    call_command("stages", experiment.pk)
    assert capsys.readouterr().out.startswith("Decided after 8 of 12 instances")
