"""The figure of an instance shows values of the instance, of its optimum, and of the papers."""

import json
import math

import numpy as np
import pytest

from analysis.figures.instances.measured import NOTHING, measured_figure
from analysis.figures.registry import INSTANCE_FIGURES
from environments.collusion.economics import Market
from environments.declarations import POINTS
from environments.registry import ENVIRONMENTS, GENERATION, generate
from environments.scheduling.economics import Preferences
from tests.analysis.figures import check_figure, traces
from tests.environments.cast import SMALL

CASES = [(name, difficulty) for name in INSTANCE_FIGURES for difficulty in (*GENERATION[name].difficulties, "CUSTOM")]
LARGEST = {
    "procurement": {"products": 200, "categories": 50},
    "scheduling": {"size": 200},
    "pricing": {"products": 50, "nests": 8},
    "efficiency_vs_equality": {"workers": 5, "total_size": 100_000},
    "collusiveness_vs_competitiveness": {"mu": 2.0, "market_size": 1_000_000.0},
    "patience_vs_impatience": {"repetitions": 100},
}


def drawn(name, difficulty="BASIC", seed=0, **options):
    settings = SMALL[name] if difficulty == "CUSTOM" else None
    options = {"settings": settings, "with_reference": False} | options
    return generate(name, difficulty, seed, **options)


def figure_of(*place, **options):
    instance = drawn(*place, **options)
    return instance, INSTANCE_FIGURES[instance.environment](instance)


@pytest.mark.sampled
@pytest.mark.parametrize("generator", ["published", "paper_text"])
@pytest.mark.parametrize(("name", "difficulty"), CASES)
def test_every_instance_has_a_valid_figure_with_titled_axes_and_hover_texts(name, difficulty, generator):
    _, figure = figure_of(name, difficulty, 3, generator=generator)
    check_figure(figure)
    layout = figure["layout"]
    axes = [axis for key, axis in layout.items() if key.startswith("xaxis")]
    assert axes and all(axis["title"]["text"] for axis in axes)
    titles = {note["text"] for note in layout["annotations"]}
    assert len(titles) == len(axes), "every panel says what its y axis shows"
    for trace in figure["data"]:
        assert len(trace["x"]) == len(trace["y"]) or trace["type"] == "heatmap"
        shown = trace.get("hovertext")
        assert shown is None or np.shape(shown) in {np.shape(trace["y"]), np.shape(trace.get("z"))}


@pytest.mark.sampled
@pytest.mark.parametrize("name", INSTANCE_FIGURES)
def test_the_largest_instances_have_a_figure_that_a_page_can_load(name):
    settings = GENERATION[name].first | LARGEST[name]
    _, figure = figure_of(name, "CUSTOM", settings=settings)
    check_figure(figure)
    assert len(json.dumps(figure)) < 1_000_000


def test_every_environment_has_a_figure():
    assert set(INSTANCE_FIGURES) == set(ENVIRONMENTS)


def test_the_procurement_figure_shows_value_per_dollar_and_the_optimal_plan():
    instance, figure = figure_of("procurement", with_reference=True)
    offers = {offer["id"]: offer for offer in instance.parameters["offers"]}
    (simple,) = traces(figure, "simple price")
    place = next(i for i, words in enumerate(simple["hovertext"]) if words.startswith("Offer_4:"))
    # $1.38 for 2 B2, 1 A4 and 1 B1, of effectiveness 3, 2 and 2; any number of copies.
    assert offers["Offer_4"]["price_cents"] == 138 and offers["Offer_4"]["contents"] == {"B2": 2, "A4": 1, "B1": 1}
    assert simple["y"][place] == pytest.approx(10 / 1.38)
    assert simple["x"][place] == pytest.approx(138 / instance.parameters["budget_cents"])
    (plan,) = traces(figure, "in the optimal plan")
    assert len(plan["x"]) == len(instance.reference["optimum"]["plan"])
    assert figure["layout"]["meta"]["description"].endswith("The optimal plan buys Offer_4, Offer_8.")
    (heat,) = traces(figure, "effectiveness")
    assert heat["z"][1][1] == instance.hidden["effectiveness"]["B2"] == 3
    assert "optimal plan" not in json.dumps(figure_of("procurement")[1]), "a preview knows no optimum"


def test_the_value_of_a_two_part_tariff_assumes_spending_the_full_budget():
    from analysis.figures.instances.procurement import smallest_share, units_per_dollar
    from environments.procurement.economics import Menu, Offer

    tariff = Offer("Offer_1", "two_part_tariff", {"A1": 3}, 200, upfront_cents=400)
    bulk = Offer("Offer_2", "bulk_only", {"A1": 1}, 500, min_quantity=4)
    menu = Menu((tariff, bulk), (("A1",),), {"A1": 2}, 1000)
    # $10 pay the $4 and three copies of 3 units of effectiveness 2.
    assert units_per_dollar(tariff, menu) == pytest.approx(18 / 10)
    assert smallest_share(tariff, 1000) == pytest.approx(0.6)
    # Four copies cost $20, twice the budget: what that purchase would be worth.
    assert (smallest_share(bulk, 1000), units_per_dollar(bulk, menu)) == (2.0, pytest.approx(8 / 20))


def test_the_scheduling_figure_shows_ranks_of_pairs_and_a_stable_matching():
    instance, figure = figure_of("scheduling")
    (heat,) = traces(figure, "rank, workers rank tasks")
    lists = instance.hidden["worker_preferences"]
    assert heat["z"][2][int(lists["W3"][0][1:]) - 1] == 1 and heat["z"][2][int(lists["W3"][-1][1:]) - 1] == 10
    assert heat["hovertext"][2][0] == f"W3 ranks T1 {lists['W3'].index('T1') + 1} of 10"
    first, second = traces(figure, "a stable matching")
    matching = np.array(first["x"])
    assert Preferences.of(instance).blocking_pairs(matching) == []
    assert [matching[worker] for worker in second["x"]] == list(second["y"]), "the same matching from the other side"


def test_the_pricing_figure_shows_the_optimal_path_and_falling_demand():
    instance, figure = figure_of("pricing", "MEDIUM", 1)
    (path,) = traces(figure, "Product_2")
    optimal = np.array(instance.reference["optimal_prices"])
    assert path["y"] == pytest.approx(optimal[:, 1].tolist())
    curves = [trace for trace in figure["data"] if len(trace["x"]) == 31]
    (best,) = traces(figure, "at the optimum")
    for curve, sold in zip(curves, best["y"], strict=True):
        assert curve["y"][0] > curve["y"][-1] and all(np.diff(curve["y"]) < 0)
        assert float(np.interp(1.0, curve["x"], curve["y"])) == pytest.approx(sold, rel=0.01)
    profit = sum(sold * (price / alpha - cost) for sold, price, alpha, cost in zip(
        best["y"], optimal[0], instance.hidden["alphas"][0], instance.parameters["costs"], strict=True))  # fmt: skip
    assert profit == pytest.approx(instance.reference["optimal_profit"])


def test_many_products_share_the_colour_and_legend_entry_of_their_nest():
    instance, figure = figure_of("pricing", "HARD")
    named = [trace["name"] for trace in figure["data"] if trace.get("showlegend", True) and trace["name"]]
    assert sorted(named) == ["at the optimum", *(f"nest {nest}" for nest in sorted(set(instance.hidden["nests"])))]


def test_the_equality_figure_shows_tasks_and_a_stored_frontier():
    instance, figure = figure_of("efficiency_vs_equality", "STANDARD", with_reference=True)
    (largest,) = traces(figure, "largest task")
    sizes = [instance.hidden["task_sizes"][f"T{task}"] for task in range(1, 5)]
    assert largest["y"][0] == max(sizes) and traces(figure, "smallest task")[0]["y"][0] == min(sizes)
    (reached,) = traces(figure, "frontier, reached")
    assert reached["x"] == [point["revenue"] for point in instance.reference["frontier"]]
    (ends,) = traces(figure, "the two ends")
    assert ends["x"][1] == instance.reference["max_efficiency"]["revenue"] and ends["y"][0] == 0
    preview = figure_of("efficiency_vs_equality", "STANDARD")[1]
    assert not traces(preview, "frontier, reached")
    (bound,) = traces(preview, "proven bound")
    at_the_ends = [instance.reference["frontier"][place]["revenue_bound"] for place in (0, -1)]
    assert [bound["x"][0], bound["x"][-1]] == pytest.approx(at_the_ends)


def test_best_responses_of_a_market_cross_at_the_nash_price():
    instance, figure = figure_of("collusiveness_vs_competitiveness", "STANDARD", 1)
    nash = instance.reference["nash_price"]
    (best,) = traces(figure, "best response")
    assert float(np.interp(nash, best["x"], best["y"])) == pytest.approx(nash, abs=1e-3)
    # Calvano et al. 2020, section II: the market of the paper has a Nash price of 1.473 and a monopoly price of 1.925.
    assert instance.reference["nash_price"] / 3.2 == pytest.approx(1.473, abs=1e-3)
    (marks,) = traces(figure, "Nash and collusive price")
    assert marks["x"] == [nash, instance.reference["collusive_price"]] and marks["x"][1] / 3.2 == pytest.approx(
        1.925, abs=1e-3
    )
    (alone,) = traces(figure, "no rival")
    market = Market.of(instance)
    assert max(alone["y"]) == pytest.approx(market.profits([market.single_agent_price()])[0], rel=1e-2)


def test_the_patience_figure_shows_the_rate_of_each_amount():
    _, figure = figure_of("patience_vs_impatience", "STANDARD")
    (year,) = traces(figure, "1 year, 20 amounts")
    assert year["y"][4] == pytest.approx(100 * math.log(1.05)) and year["x"][4] == 105
    assert figure["layout"]["meta"]["description"].startswith("4,800 questions")


def test_measured_scores_have_a_panel_per_difficulty():
    titles, columns = {"random": "Random", "optimum": "Optimum"}, ("BASIC", "HARD", "CUSTOM+TWO")
    scores = {("random", "BASIC"): [(0, 0.5), (1, 0.7)], ("optimum", "CUSTOM+TWO"): [(3, 1.0)]}
    figure = measured_figure(columns, titles, scores, POINTS)
    check_figure(figure)
    heads = [note["text"] for note in figure["layout"]["annotations"]]
    assert heads == [f"{column}, score in points" for column in columns]
    bars = [trace["x"][0] for trace in figure["data"] if trace["marker"]["symbol"] == "line-ns"]
    assert bars == [pytest.approx(60), 100]
    words = [text for trace in figure["data"] for text in trace.get("hovertext", ())]
    assert words == [
        "Random on BASIC, seed 0: 50.0",
        "Random on BASIC, seed 1: 70.0",
        "Optimum on CUSTOM+TWO, seed 3: 100.0",
    ]
    assert measured_figure(columns, titles, {}, POINTS)["layout"]["annotations"][0]["text"] == NOTHING
