"""Several runs of one instance in one chart."""

from dataclasses import replace

import pytest

from games.overlay import DASHES, run_paths
from games.patience.episode_figure import NO_CURVE
from games.quality import UNKNOWN
from games.registry import GAMES, overlay_figure
from infrastructure.figures.colours import agent_styles
from tests.figures import PLAYED, check_figure


def paths(*games, agents=None):
    styles = agent_styles([(1, False), (2, True), (3, False)])
    chosen = agents or range(1, len(games) + 1)
    runs = [
        (f"run {place}, A<b>", styles[agent], game, lambda index, place=place: f"/runs/{place}/periods/{index}/")
        for place, (agent, game) in enumerate(zip(chosen, games, strict=True))
    ]
    return run_paths(runs)


@pytest.mark.sampled
@pytest.mark.parametrize(("environment", "difficulty", "baseline", "length"), PLAYED)
@pytest.mark.parametrize("periods", [1, 25, 300])
def test_every_environment_has_an_overlay_of_several_runs(
    baseline_run, environment, difficulty, baseline, length, periods
):
    run = baseline_run(environment, difficulty, baseline)
    figure = overlay_figure(run.instance, paths(run.outcomes[:periods], run.outcomes[:12]), length)
    check_figure(figure)
    assert environment in GAMES and figure["layout"]["meta"]["select"] == "url"
    lines = [trace for trace in figure["data"] if trace.get("customdata")]
    assert {trace["name"] for trace in lines} == {"run 0, A‹b›", "run 1, A‹b›"}
    for trace in lines:
        assert len(trace["x"]) == len(trace["y"]) == len(trace["customdata"]) == len(trace["hovertext"])
        number = trace["name"][4]
        for target, text in zip(trace["customdata"], trace["hovertext"], strict=True):
            period = target.rstrip("/").rpartition("/")[2]
            assert target.startswith(f"/runs/{number}/") and text.startswith(f"{trace['name']}, period {period}: ")


@pytest.mark.long
def test_an_environment_without_an_overlay_shows_quality_or_says_it_is_missing(baseline_run):
    game = baseline_run("pricing")
    foreign = replace(game.instance, environment="poker")
    figure = overlay_figure(foreign, paths(game.outcomes, game.outcomes), 100)
    check_figure(figure)
    assert figure["layout"]["annotations"][0]["text"] == "% of the best possible"
    unknown = [replace(outcome, quality=None) for outcome in game.outcomes]
    survey = baseline_run("patience_vs_impatience", "STANDARD", "patience-rate")
    nothing = {"later": 0, "now": 0, "invalid": 1}
    invalid = [replace(outcome, action=outcome.action | nothing) for outcome in survey.outcomes[:5]]
    for instance, outcomes, sentence in ((foreign, unknown, UNKNOWN), (survey.instance, invalid, NO_CURVE)):
        empty = overlay_figure(instance, paths(outcomes), 100)
        check_figure(empty)
        assert empty["data"] == [] and empty["layout"]["meta"]["description"] == sentence


def test_patience_prompts_without_a_curve_show_the_share_of_right_answers(baseline_run):
    game = baseline_run("patience_vs_impatience", "STANDARD", "patience-rate")
    asked = [replace(outcome, action=outcome.action | {"rate": 5}, quality=0.5) for outcome in game.outcomes[:9]]
    figure = overlay_figure(game.instance, paths(asked, game.outcomes[:9]), 240)
    assert figure["layout"]["annotations"][0]["text"] == "% of the best possible"


def test_runs_of_the_same_agent_share_a_colour_and_differ_in_dash_and_width(baseline_run):
    outcomes = baseline_run("pricing").outcomes[:3]
    first, second, other = paths(outcomes, outcomes, outcomes, agents=(1, 1, 3))
    assert first.colour == second.colour != other.colour
    assert (first.dash, second.dash, other.dash) == (DASHES[0], DASHES[1], DASHES[0])
    assert first.width > second.width > other.width
