"""The figure of a run is valid however far the run is, and shows what its agent did and what was possible."""

from dataclasses import replace

import pytest

from environments.patience.cells import horizons
from environments.registry import GENERATION, generate
from environments.scheduling.environment import requeried
from games.patience.episode_figure import choice_curves
from games.registry import GAMES, parts_of, run_figure
from infrastructure.figures.panels import NOTHING_PLAYED
from runs.models import Instance, Run
from tests.figures import PLAYED, check_figure, traces


@pytest.mark.sampled
@pytest.mark.parametrize(("environment", "difficulty", "baseline", "length"), PLAYED)
@pytest.mark.parametrize("periods", [1, 25, 300])
def test_a_run_has_a_valid_figure_at_every_length(baseline_run, environment, difficulty, baseline, length, periods):
    run = baseline_run(environment, difficulty, baseline)
    figure = run_figure(run.instance, run.outcomes[: min(periods, length)], length)
    check_figure(figure)
    assert figure["layout"]["meta"]["select"] == "period"
    marked = [trace for trace in figure["data"] if trace.get("meta", {}).get("mark")]
    assert marked and all(len(trace["x"]) == len(trace["y"]) for trace in marked)


@pytest.mark.sampled
@pytest.mark.parametrize(("environment", "difficulty", "baseline", "length"), PLAYED)
def test_the_run_page_reserves_the_height_of_its_chart(baseline_run, environment, difficulty, baseline, length):
    run = baseline_run(environment, difficulty, baseline)
    figure = run_figure(run.instance, run.outcomes, length)
    padding = 8  # of .chart
    row = Run(instance=Instance(parameters=run.instance.parameters), variant="main")
    meta = figure["layout"]["meta"]
    heights = (meta["height"] + padding, meta["narrow"].get("height", meta["height"]) + padding)
    assert parts_of(environment).presenter.chart_heights(row) == heights


@pytest.mark.long
def test_a_run_without_a_period_says_so():
    for environment in GAMES:
        instance = generate(environment, next(iter(GENERATION[environment].difficulties)), 0)
        figure = run_figure(instance, [], 100)
        check_figure(figure)
        assert figure["data"] == []
        assert figure["layout"]["annotations"][0]["text"] == NOTHING_PLAYED


def test_few_products_have_a_panel_each_and_many_share_a_map(baseline_run):
    four, ten = baseline_run("pricing", "MEDIUM"), baseline_run("pricing", "HARD")
    panels = run_figure(four.instance, four.outcomes, 100)
    assert len([key for key in panels["layout"] if key.startswith("yaxis")]) == 5
    assert not [trace for trace in panels["data"] if trace["type"] == "heatmap"]
    (heat,) = [t for t in run_figure(ten.instance, ten.outcomes, 100)["data"] if t["type"] == "heatmap"]
    assert (len(heat["z"]), len(heat["z"][0])) == (10, 100)


def test_the_optimal_price_is_drawn_over_the_whole_run(baseline_run):
    run = baseline_run("pricing")
    (best,) = traces(run_figure(run.instance, run.outcomes[:10], 100), "profit-maximising")
    assert best["y"] == [prices[0] for prices in run.instance.reference["optimal_prices"]]


@pytest.mark.long
def test_the_optimum_plays_on_the_reference_line(baseline_run):
    run = baseline_run("pricing", baseline="optimum")
    (charged,) = traces(run_figure(run.instance, run.outcomes, 100), "set by agent")
    (best,) = traces(run_figure(run.instance, run.outcomes, 100), "profit-maximising")
    assert charged["y"] == pytest.approx(best["y"], rel=1e-3)


def test_infeasible_plans_are_crosses_and_the_best_score_never_falls(baseline_run):
    run = baseline_run("procurement")
    figure = run_figure(run.instance, run.outcomes, 100)
    (crosses,), (best,) = traces(figure, "plan not feasible"), traces(figure, "best so far")
    assert crosses["x"] == [o.period for o in run.outcomes if not o.result["feasible"]]
    assert set(crosses["y"]) <= {0.0}
    assert best["y"] == sorted(best["y"])
    assert best["y"][-1] == run.score(run.instance, run.outcomes).value


@pytest.mark.long
def test_requeried_periods_agree_with_the_requery_rate(baseline_run):
    run = baseline_run("scheduling", "MEDIUM", "scheduling-knuth")
    rate = run.metrics(run.instance, run.outcomes)["requery_rate"]
    assert sum(requeried(run.outcomes)) / len(run.outcomes) == rate


def test_a_run_that_ends_early_has_a_short_axis(baseline_run):
    run = baseline_run("scheduling", "BASIC", "optimum")
    assert run.outcomes[-1].result["stable"]
    assert run_figure(run.instance, run.outcomes, 100)["layout"]["xaxis"]["range"][1] < 20


def test_a_panel_explains_its_clipped_values(baseline_run):
    run = baseline_run("pricing", "BASIC", "random")
    losing = [replace(one, result=one.result | {"share_of_optimum": -2.65}) for one in run.outcomes]
    for outcomes, is_clipped in ((run.outcomes, False), (losing, True)):
        fair = [replace(one, result=one.result | {"share_of_optimum": 0.5}) for one in outcomes]
        figure = run_figure(run.instance, outcomes if is_clipped else fair, 100)
        titles = [note["text"] for note in figure["layout"]["annotations"]]
        assert ("▼ beyond the scale" in titles) is is_clipped, titles


@pytest.mark.long
def test_a_market_of_two_has_both_price_paths_between_nash_and_collusion(baseline_run):
    run = baseline_run("collusiveness_vs_competitiveness", "STANDARD", "collusion-best-response")
    figure = run_figure(run.instance, run.outcomes, 300)
    names = {trace["name"] for trace in figure["data"] if trace.get("name")}
    assert {"seat 0", "seat 1", "Nash", "collusive"} <= names


def test_the_pay_figure_ends_with_its_run(baseline_run):
    run = baseline_run("efficiency_vs_equality", "STANDARD", "equality-greedy-equality")
    last = run.outcomes[-1].result
    paid = [trace["y"][-1] for trace in run_figure(run.instance, run.outcomes, 30)["data"] if "earns" in trace["name"]]
    assert sorted(paid) == sorted(last["total_pay"].values())
    plane = run_figure(run.instance, run.outcomes, 30, name="plane")
    check_figure(plane)
    (way,) = [trace for trace in plane["data"] if trace.get("meta")]
    assert (way["x"][-1], way["y"][-1]) == (last["total_revenue"], last["inequality"])
    assert way["customdata"] == list(range(30))
    assert plane["layout"]["meta"]["band"] is False


@pytest.mark.long
def test_every_point_of_a_choice_curve_opens_its_period(baseline_run):
    run = baseline_run("patience_vs_impatience", "STANDARD", "patience-rate")
    figure = run_figure(run.instance, run.outcomes, 240)
    curves = [trace for trace in figure["data"] if trace.get("meta")]
    assert len(curves) == 4
    for curve in curves:
        for amount, period in zip(curve["x"], curve["customdata"], strict=True):
            assert run.outcomes[period].action["amount"] == amount


def test_the_shaded_area_equals_the_missing_reliability(baseline_run):
    run = baseline_run("patience_vs_impatience", "STANDARD", "patience-rate")
    measured = run.metrics(run.instance, run.outcomes)["by_horizon"]
    figure = choice_curves(
        horizons(run.instance.parameters), measured, "token:data-1", lambda *_: "/runs/1/", select="url"
    )
    check_figure(figure)
    shaded = [trace for trace in figure["data"] if trace.get("fill") == "toself"]
    for trace, row in zip(shaded, measured.values(), strict=True):
        gap = trace["x"].index(None)
        pieces = [(trace["x"][:gap], trace["y"][:gap]), (trace["x"][gap + 1 :], trace["y"][gap + 1 :])]
        width = row["curve"][-1][0] - row["curve"][0][0]
        assert 1 - sum(map(polygon, pieces)) / width == pytest.approx(row["reliability"], abs=1e-9)


def polygon(piece):
    """Area within a closed line, by the shoelace formula."""
    x, y = piece
    turned = sum(x[i - 1] * y[i] - x[i] * y[i - 1] for i in range(len(x)))
    return abs(turned) / 2
