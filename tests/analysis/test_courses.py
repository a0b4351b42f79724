"""Learning curves, and the panel of all instances."""

from dataclasses import replace

import numpy as np
import pytest

from analysis.answers.courses.trajectories import TRAJECTORIES
from analysis.base.table import BenchmarkColumn, Kind, TableRow
from analysis.courses.learning import Learning, RunScores, learning_curve, sentences
from analysis.courses.trajectories import Course, Trajectories, TrajectoryFilter
from analysis.figures.courses.learning import DASHED, learning_figure
from analysis.figures.courses.trajectories import trajectories_figure
from environments.pricing.economics import Demand
from environments.registry import BENCHMARKS, ENVIRONMENTS
from games.registry import parts_of
from infrastructure.figures.colours import agent_styles
from runs.models import Instance, Period
from stats.means import mean_interval
from tests.figures import check_figure, traces
from tests.queries import queries_of

BASIC = BenchmarkColumn("scheduling", "BASIC")
HOUSE, RULE = TableRow("<b>House", Kind.OWN, 1, "house"), TableRow("Rule", Kind.BASELINE, 2, "rule")
STYLES = agent_styles([(1, False), (2, True)])


def run(instance, *shares, agent=1):
    return RunScores(agent, BASIC, instance, shares)


def test_a_run_that_ended_early_keeps_its_last_value_and_repeats_count_as_their_mean():
    curve = learning_curve(HOUSE, BASIC, [run(7, 0.2, 1.0), run(8, 0.0, 0.0, 0.4, 0.6), run(8, 0.4, 0.4, 0.4, 0.4)], 4)
    assert curve.scores.tolist() == [[0.2, 1.0, 1.0, 1.0], [0.2, 0.2, 0.4, 0.5]]
    assert curve.mean == pytest.approx([0.2, 0.6, 0.7, 0.75]) and curve.rise == pytest.approx(0.55)
    assert (curve.runs, curve.instances) == (3, 2)


def test_bands_are_intervals_of_single_periods_from_six_instances_on():
    rng = np.random.default_rng(2)
    scores = rng.beta(4, 2, (7, 30)).tolist()
    curve = learning_curve(HOUSE, BASIC, [run(number, *shares) for number, shares in enumerate(scores)], 30)
    assert curve.bands([5]) == [mean_interval([shares[5] for shares in scores])]
    few = learning_curve(HOUSE, BASIC, [run(number, *shares) for number, shares in enumerate(scores[:5])], 30)
    assert few.bands(range(30)) == [None] * 30
    rule = learning_curve(RULE, BASIC, [run(1, *[0.5] * 30, agent=2)], 30)
    figure = learning_figure(Learning([curve, rule], {"scheduling": "assignment"}, 30), STYLES)
    check_figure(figure)
    assert len([trace for trace in figure["data"] if trace.get("fill")]) == 1
    assert [traces(figure, name)[0]["line"]["dash"] for name in ("‹b›House", "Rule (baseline)")] == ["solid", DASHED]
    assert "each period alone" in sentences(Learning([curve], {}, 30))[-1]


@pytest.mark.parametrize("environment", BENCHMARKS)
def test_the_last_value_of_a_learning_curve_follows_from_the_quality_of_each_period(baseline_run, environment):
    """Procurement's curve is the best so far; the others have the quality of the period itself."""
    game = baseline_run(environment)
    scores = parts_of(environment).period_scores
    metrics = ENVIRONMENTS[environment].metrics(game.instance, game.outcomes)
    shares = list(scores.shares(metrics[scores.key], game.instance.reference))
    qualities = [outcome.quality for outcome in game.outcomes]
    so_far = np.maximum.accumulate(qualities).tolist()
    assert shares == pytest.approx(qualities) or shares == pytest.approx(so_far)


def test_each_instance_has_a_panel_with_prices_the_optimal_and_the_best_constant_price(baseline_run):
    games = {seed: baseline_run("pricing", "BASIC", "pricing-constant", seed) for seed in (0, 1)}
    courses = [Course(10 + seed, 1, "<b>House", seed, seed, 0.5) for seed in games]
    instances = {seed: game.instance for seed, game in games.items()}
    outcomes = {10 + seed: game.outcomes for seed, game in games.items()}
    figure = trajectories_figure(
        Trajectories({1: "<b>House"}, courses), instances, outcomes, 100, STYLES, "/runs/{}/{}/".format
    )
    check_figure(figure)
    assert [note["text"] for note in figure["layout"]["annotations"]] == ["seed 0: price, $", "seed 1: price, $"]
    first, second = traces(figure, "‹b›House")
    assert second["y"] == [outcome.action["Product_1"] for outcome in games[1].outcomes]
    assert second["customdata"][3] == "/runs/11/3/" and first["showlegend"] and not second["showlegend"]
    optimal, constant = (traces(figure, name)[1]["y"] for name in ("optimal price", "best constant price"))
    market, alphas = Demand.of(instances[1]), instances[1].hidden["alphas"]
    assert optimal == [prices[0] for prices in instances[1].reference["optimal_prices"]]
    assert constant == pytest.approx([market.best_constant_prices(alphas)[0]] * 100)


def test_several_products_are_drawn_as_their_mean_ratio_and_other_environments_by_quality(baseline_run):
    for environment, difficulty, unit in (
        ("pricing", "MEDIUM", "price ÷ optimal price"),
        ("scheduling", "BASIC", "% of the best possible"),
    ):
        game = baseline_run(environment, difficulty)
        result = Trajectories({1: "A"}, [Course(1, 1, "A", 5, 0, 0.5)])
        plain = [replace(outcome, result={}) for outcome in game.outcomes]
        figure = trajectories_figure(result, {5: game.instance}, {1: plain}, 100, STYLES, "/{}/{}/".format)
        check_figure(figure)
        assert figure["layout"]["annotations"][0]["text"] == f"seed 0: {unit}"


def test_the_page_shows_the_newest_run_of_the_two_best_agents(page, run_row, baseline_run, organization):
    for agent, score in (("weak", 0.1), ("good", 0.8), ("best", 0.9)):
        for _ in range(2):
            newest = run_row(agent, score, problem=baseline_run("pricing").instance)
    Period.objects.create(run=newest, index=0, action={"Product_1": 5.0}, result={}, quality=0.5)
    result = TRAJECTORIES.read(organization, TrajectoryFilter())
    assert [course.agent for course in result.courses] == ["best", "good"]
    assert result.courses[0].run_id == newest.pk
    named = TRAJECTORIES.read(organization, TrajectoryFilter(agents=("weak", "best", "good")))
    assert [course.agent for course in named.courses] == ["weak", "best"]
    text = page.get("/trajectories/").text
    assert "newest finished run of best and of good on 1 instance" in text
    figure = page.get("/trajectories/figure.json").json()
    assert traces(figure, "best")[0]["customdata"] == [f"/runs/{newest.pk}/periods/0/"]


def test_a_run_whose_instance_has_no_reference_has_no_learning_curve(page, run_row, baseline_run):
    problem = baseline_run("scheduling").instance
    run = run_row("house", 0.5, problem=problem, metrics={"blocking_pairs_by_period": [3] * 100})
    assert page.get("/learning/figure.json").json()["data"]
    Instance.objects.filter(pk=run.instance_id).update(reference=None)
    assert page.get("/learning/").status_code == 200
    assert page.get("/learning/figure.json").json()["data"] == []


@pytest.mark.parametrize("address", ["/learning/", "/trajectories/", "/sensitivity/"])
def test_the_pages_take_a_constant_number_of_queries_and_are_honest_without_runs(page, run_row, address):
    assert "No run that fits these filters has finished." in page.get(address).text
    metrics = {"profit_share_by_period": [0.1, 0.9]}
    run_row("a", 0.9, metrics=metrics)
    before = queries_of(page, address)
    for seed in range(3):
        for agent in ("a", "b", "c"):
            run_row(agent, 0.5, seed=seed, metrics=metrics)
    assert queries_of(page, address) == before
