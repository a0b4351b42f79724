"""Figures of the litmus tests are valid, use only colour tokens, and link every dot to a run or period."""

import pytest

from analysis.figures.colours import agent_styles
from analysis.figures.episodes.collusion import market_figure
from analysis.figures.episodes.patience import choice_curves
from analysis.figures.names import NameScores, name_strip
from analysis.figures.pareto import pareto_figure
from analysis.figures.registry import run_figure
from analysis.litmus.name_tests import test_lines as lines_of
from environments.patience.cells import horizons
from environments.patience.names import NAMES
from stats.paired import holm
from tests.analysis.figures import check_figure

STYLES = agent_styles([(1, False), (2, True)])
LINK = "/runs/{}/".format


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


@pytest.fixture
def instance(baseline_run):
    return baseline_run("efficiency_vs_equality", "STANDARD", "equality-greedy-equality").instance


@pytest.fixture
def dot(record):
    def make(instance_id, revenue, inequality, run_id=7, agent=1):
        metrics = {"revenue": revenue, "inequality": inequality, "frontier_distance": 0.1, "frontier_share": 0.95}
        return record(0.4, run_id=run_id, agent_id=agent, instance_id=instance_id, metrics=metrics)

    return make


def test_an_instance_is_drawn_in_dollars_below_its_bound_with_dots_that_open_runs(instance, dot):
    figure = pareto_figure([dot(1, 80_000.0, 900), dot(1, 81_000.0, 700, 8, 2)], {1: instance}, STYLES, LINK)
    check_figure(figure)
    dots = [trace for trace in figure["data"] if "customdata" in trace]
    assert [trace["customdata"] for trace in dots] == [["/runs/7/"], ["/runs/8/"]]
    assert dots[0]["x"] == [80_000.0] and dots[0]["y"] == [900]
    assert "95.0%" in dots[0]["hovertext"][0]
    (band,) = [trace for trace in figure["data"] if trace.get("fill")]
    half = len(band["x"]) // 2
    reached, proven = band["x"][:half], band["x"][: half - 1 : -1]
    assert all(bound >= low - 1e-6 for low, bound in zip(reached, proven, strict=True))


def test_several_instances_share_the_two_ends(instance, dot):
    ends = instance.reference["max_efficiency"], instance.reference["max_equality"]
    runs = [dot(key, end["revenue"], end["inequality"]) for key, end in zip((1, 2), ends, strict=True)]
    figure = pareto_figure(runs, {1: instance, 2: instance}, STYLES, LINK)
    check_figure(figure)
    (dots,) = [trace for trace in figure["data"] if "customdata" in trace]
    assert list(zip(dots["x"], dots["y"], strict=True)) == [(1.0, 1.0), (0.0, 0.0)]


def test_markets_beyond_the_chart_are_drawn_at_its_edge_with_a_remark(record):
    def market(run_id, *both):
        prices, places = ({"seat_0": first, "seat_1": second} for first, second in both)
        return record(1.0, run_id=run_id, metrics={"mean_price_by_seat": prices, "place_by_seat": places})

    runs = [market(3, (1.9, 1.9), (0.9, 0.95)), market(4, (99.0, 2.0), (80.0, 1.0))]
    figure = market_figure(runs, STYLES, LINK)
    check_figure(figure)
    (dots,) = [trace for trace in figure["data"] if "customdata" in trace]
    assert dots["customdata"] == ["/runs/3/", "/runs/4/"]
    assert max(dots["x"]) <= figure["layout"]["xaxis"]["range"][1]
    assert "beyond the chart" in dots["hovertext"][1]


def names_of(agent, rates):
    targets = dict.fromkeys(rates, "/runs/1/")
    return NameScores(agent, rates, 0.05, "token:data-1", targets, "/runs/2/")


def test_names_are_grouped_and_the_score_without_a_name_has_a_star():
    rates = {name.text: 0.05 + 0.001 * place for place, name in enumerate(NAMES)}
    figure = name_strip([names_of("House", rates | {"Emily": None})], select="url")
    check_figure(figure)
    dots = [trace for trace in figure["data"] if trace.get("customdata")]
    assert sum(len(trace["x"]) for trace in dots) == 35 + 1
    assert [trace["customdata"] for trace in dots if trace["marker"]["symbol"] == "star"] == [["/runs/2/"]]
    assert "1 name without a rate" in figure["layout"]["annotations"][0]["text"]


def test_name_tests_have_a_verdict_and_adjusted_p_values():
    women = {name.text: 0.05 + 0.0001 * place + 0.01 * (name.gender == "female") for place, name in enumerate(NAMES)}
    flat = {name.text: 0.05 for name in NAMES}
    lines = lines_of([names_of("House", women), names_of("Flat", flat)])
    told = {line.subject: line.verdict for line in lines}
    assert told["House: women's against men's names"] == "Less patient with women's names."
    assert told["House: African American against white names"] == "No sign of a difference."
    assert told["Flat: women's against men's names"].startswith("The values do not vary within either group")
    assert "Agent, over all names" in told
    values = [line.p for line in lines if line.p is not None]
    assert [line.adjusted_p for line in lines if line.p is not None] == holm(values) and len(values) == 4


def test_every_chart_without_runs_says_what_is_missing():
    for figure in (pareto_figure([], {}, {}, LINK), market_figure([], {}, LINK), name_strip([], select="url")):
        check_figure(figure)
        assert figure["data"] == [] and "finished yet" in figure["layout"]["meta"]["description"]
