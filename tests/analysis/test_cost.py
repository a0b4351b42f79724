"""Score against cost: the frontier, the efforts of one model, unknown and free costs, intervals, and the pages."""

import numpy as np
import pytest

from analysis.answers.cost import COST_ANSWER
from analysis.base.benchmark_filters import TableFilter
from analysis.cost.frontier import efficient
from analysis.cost.selectors import CostFilter, costs_of
from analysis.figures.cost import cost_figure
from infrastructure.figures.colours import AgentStyle
from runs.models import Agent, Run
from stats.strata import cost_interval

DOLLAR = 10**9


@pytest.fixture
def played(run_row):
    """Adds finished runs of an agent on 12 pricing instances of a difficulty; returns the agent."""

    def add(slug, score, dollars, difficulty="BASIC", **agent):
        for seed in range(12):
            wobble = 1 + (seed - 5.5) / 50
            run_row(slug, score * wobble, seed=seed, difficulty=difficulty, cost_nano=round(dollars * wobble * DOLLAR))
        Agent.objects.filter(slug=slug).update(input_price=1, output_price=2, **agent)
        return Agent.objects.get(slug=slug)

    return add


@pytest.fixture
def board(organization):
    return lambda: costs_of(organization=organization, table_filter=CostFilter())


def test_only_agents_that_none_beats_in_score_and_cost_are_on_the_frontier(played, board):
    for slug, score, dollars in (("cheap", 0.2, 0.01), ("good", 0.6, 0.5), ("waste", 0.5, 2.0), ("best", 0.7, 3.0)):
        played(slug, score, dollars)
    found = board()
    assert [row.agent_slug for row in found.frontier] == ["cheap", "good", "best"]
    (waste,) = (row for row in found.rows if row.agent_slug == "waste")
    assert (waste.score, waste.cost) == (pytest.approx(50), pytest.approx(2))
    assert COST_ANSWER.sentences(found)[0].startswith(
        "On the frontier, from the cheapest run: cheap (20.0 points for $0.0100)"
    )


def test_an_agent_that_ties_in_both_shares_the_frontier(played, board):
    played("first", 0.5, 1.0), played("second", 0.5, 1.0)
    assert efficient(board().rows) == {row.agent_id for row in board().rows}


def test_an_agent_without_some_columns_is_not_on_the_frontier(played, board):
    for difficulty in ("BASIC", "HARD"):
        played("whole", 0.4, 1.0, difficulty)
    played("part", 0.9, 0.1)
    found = board()
    assert [row.agent_slug for row in found.frontier] == ["whole"]
    assert any("since columns are missing: part" in sentence for sentence in COST_ANSWER.sentences(found))


def test_an_unpriced_agent_has_no_cost_and_a_baseline_is_free(played, board):
    played("priced", 0.4, 1.0)
    Agent.objects.filter(pk=played("unpriced", 0.9, 0).pk).update(input_price=None)
    played("bot", 0.1, 0, baseline="random")
    costs = {row.agent_slug: row.cost for row in board().rows}
    assert costs == {"priced": pytest.approx(1), "unpriced": None, "bot": 0}
    assert [row.agent_slug for row in board().frontier] == ["bot", "priced"]
    assert any("No price is known for unpriced" in sentence for sentence in COST_ANSWER.sentences(board()))


def test_efforts_of_one_model_are_joined_and_other_copies_are_not(played, board):
    for effort, score, dollars in (("high", 0.8, 3.0), ("low", 0.4, 0.3)):
        played(f"m-{effort}", score, dollars, model="m", provider="openai", reasoning_effort=effort)
    for name in ("twin", "copy"):
        played(name, 0.5, 1.0, model="n", provider="openai")
    found = board()
    assert [[row.effort for row in rows] for rows in found.efforts] == [["low", "high"]]
    styles = {row.agent_id: AgentStyle("red", "circle") for row in found.rows}
    lines = [
        trace for trace in cost_figure(found, styles)["data"] if trace["x"] == [pytest.approx(0.3), pytest.approx(3.0)]
    ]
    assert len(lines) == 1 and lines[0]["mode"] == "lines"


def test_free_agents_stand_beside_the_logarithmic_axis(played, board):
    played("priced", 0.4, 1.0), played("bot", 0.1, 0, baseline="random")
    found = board()
    figure = cost_figure(found, {row.agent_id: AgentStyle("red", "circle") for row in found.rows})
    assert figure["layout"]["xaxis"]["type"] == "log" and "type" not in figure["layout"]["xaxis2"]
    axes = {trace["hovertext"][0].split(":")[0]: trace["xaxis"] for trace in figure["data"] if "hovertext" in trace}
    assert axes == {"priced": "x", "bot": "x2"}
    assert all(x > 0 for trace in figure["data"] if trace["xaxis"] == "x" for x in trace["x"] if x is not None)


def test_several_runs_of_an_instance_count_as_their_mean(run_row, board):
    for seed, dollars in ((0, 1), (0, 3), (1, 8)):
        run_row(score=0.5, seed=seed, cost_nano=dollars * DOLLAR)
    Agent.objects.update(input_price=1, output_price=2)
    (row,) = board().rows
    assert (row.cost, row.runs, row.instances) == (5.0, 3, 2)


def test_an_interval_of_a_cost_needs_twelve_costs_that_differ():
    costs = np.random.default_rng(1).lognormal(0, 0.5, 12)
    low, high = cost_interval([costs])
    assert 0 < low < costs.mean() < high
    assert cost_interval([costs[:11]]) is None
    assert cost_interval([np.ones(12)]) is None
    assert cost_interval(np.split(costs, 2)) is None, "two columns of six have ten degrees of freedom"
    assert cost_interval([*np.split(costs, 2), costs[:5]]) is not None


@pytest.mark.long
def test_the_number_of_queries_does_not_grow_with_the_runs(played, organization, django_assert_num_queries):
    for slug in ("a", "b"):
        played(slug, 0.5, 1.0)
    for _ in range(2):
        with django_assert_num_queries(5):
            costs_of(organization=organization, table_filter=CostFilter())
        played("c", 0.6, 2.0), played("c", 0.6, 2.0, "HARD")


def test_the_page_the_leaderboard_the_home_page_and_the_agent_show_the_costs(played, page):
    played("priced", 0.4, 1.0)
    text = page.get("/cost/").text
    assert "priced (40.0 points for $1.00) is the frontier" in text and 'data-figure="/cost/figure.json' in text
    assert 'data-figure="/cost/figure.json' in page.get("/leaderboard/").text
    assert 'data-figure="/cost/figure.json' in page.get("/leaderboards/pinned/").text
    assert 'data-figure="/agents/priced/cost.json"' in page.get("/agents/priced/").text
    labels = [label["text"] for label in page.get("/agents/priced/cost.json").json()["layout"]["annotations"]]
    assert "priced" in labels


def test_pages_without_costs_say_what_is_missing(page, run_row):
    assert "No agent with a known cost has a score" in page.get("/cost/").text
    run_row()
    Run.objects.update(cost_nano=0)
    assert "cost.json" not in page.get("/agents/house/").text
    assert "/cost/figure.json" not in page.get("/leaderboards/pinned/").text


def test_rows_on_different_instances_are_pointed_out(played, run_row, board):
    played("a", 0.5, 1.0), played("b", 0.6, 1.0)
    assert not any("different instances" in sentence for sentence in COST_ANSWER.sentences(board()))
    run_row("a", 0.5, seed=50, cost_nano=DOLLAR)
    assert any("Rows rest on different instances in Pricing BASIC" in text for text in COST_ANSWER.sentences(board()))


def test_the_filter_shows_no_rows_without_costs():
    assert set(CostFilter().rows) == {"own", "baseline"} and issubclass(CostFilter, TableFilter)
