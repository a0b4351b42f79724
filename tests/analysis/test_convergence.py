"""Periods to the first optimal action: known answers by hand, and the page."""

import numpy as np
import pytest

from analysis.base.table import BenchmarkColumn, Kind, TableRow
from analysis.convergence.times import MOST_COMPARED, RunTimes, convergence, sentences
from analysis.figures.courses.convergence import NOTHING, reached_figure
from infrastructure.figures.colours import agent_styles
from stats.means import flip_interval, sign_flip_p
from tests.figures import check_figure, traces
from tests.queries import queries_of

BASIC, HARD = (BenchmarkColumn("scheduling", level) for level in ("BASIC", "HARD"))
EVENTS = {"scheduling": "first stable assignment"}


def agent(number):
    return TableRow(f"A{number}", Kind.OWN, number, f"a{number}")


def answer(*runs, agents=2, columns=(BASIC, HARD)):
    """runs: (agent, column, times of instances 0, 1, ...)"""
    arrays = [RunTimes(who, column, np.arange(len(times)), np.array(times)) for who, column, times in runs]
    return convergence(arrays, [agent(number) for number in range(1, agents + 1)], columns, EVENTS, 100)


def test_agents_are_compared_on_common_instances_with_unsolved_runs_as_the_length():
    fast, slow = [5, 8, 12, 9, 7, 30, 4], [50, 0, 70, 0, 40, 35, 0, 3]
    result = answer((1, BASIC, fast), (2, BASIC, slow))
    first, second = result.rows
    assert (first.agent.name, first.solved, first.median, first.mean) == ("A1", 7, 8, pytest.approx(np.mean(fast)))
    assert (second.solved, second.median, second.mean) == (5, 50, pytest.approx((50 + 70 + 40 + 35 + 3 + 300) / 8))
    differences = np.array([50, 100, 70, 100, 40, 35, 100]) - fast
    (pair,) = result.pairs
    assert (pair.n, pair.difference, pair.p) == (7, pytest.approx(differences.mean()), sign_flip_p(differences))
    assert pair.interval == flip_interval(differences) and pair.adjusted_p == pair.p
    texts = sentences(result)
    assert (
        "A1 is the fastest. Its first stable assignment comes after 10.7 periods on average; 7 of 7 instances"
        in texts[0]
    )
    assert "A2 takes 60.0 periods more than A1" in texts[1] and texts[1].endswith("evidence of a difference.")


def test_several_runs_of_an_instance_count_as_their_mean():
    runs = RunTimes(1, BASIC, np.array([4, 4, 9]), np.array([10, 0, 20]))
    (row,) = convergence([runs], [agent(1)], [BASIC], EVENTS, 100).rows
    assert (row.instances, len(row.times), row.mean) == (2, 3, pytest.approx((55 + 20) / 2))


def test_many_agents_are_not_compared_and_the_page_says_how_to():
    many = MOST_COMPARED + 1
    result = answer(*((number, BASIC, [number, 0]) for number in range(1, many + 1)), agents=many)
    assert not result.pairs and f"Choose at most {MOST_COMPARED} agents" in sentences(result)[-1]


def test_the_figure_has_a_step_line_for_each_agent_in_the_order_of_difficulties():
    result = answer((1, HARD, [60, 0]), (1, BASIC, [5, 10]), (2, BASIC, [0, 0]))
    figure = reached_figure(result, agent_styles([(1, False), (2, True)]))
    check_figure(figure)
    assert [note["text"].split(",")[0] for note in figure["layout"]["annotations"]] == [
        "Scheduling BASIC",
        "Scheduling HARD",
    ]
    basic, hard = traces(figure, "A1")
    assert (basic["y"][5], basic["y"][10], hard["y"][59], hard["y"][100]) == (0.5, 1.0, 0.0, 0.5)
    assert basic["showlegend"] and not hard["showlegend"]
    assert reached_figure(answer(), {})["layout"]["meta"]["description"] == NOTHING


def test_the_page_reads_the_times_in_the_database_and_a_missing_time_counts_as_unsolved(page, run_row):
    for seed, time in enumerate((12, None, 40)):
        run_row("a", 1.0 if time else 0.5, environment="scheduling", seed=seed, metrics={"periods_to_stability": time})
    run_row("a", None, environment="scheduling", seed=5, state="stalled")
    text = page.get("/convergence/", {"environments": ["scheduling"]}).text
    assert "comes after 50.7 periods on average; 2 of 3 instances" in text
    csv = page.get("/convergence/table.csv").text.splitlines()
    assert csv[1].startswith("scheduling,BASIC,a,own,3,3,2,66.6")
    assert page.get("/convergence/figure.json").json()["data"]


def test_the_page_takes_a_constant_number_of_queries(page, run_row):
    run_row("a", 1.0, environment="procurement", metrics={"periods_to_optimum": 3})
    before = queries_of(page, "/convergence/")
    for name in ("b", "c", "d"):
        run_row(name, 1.0, environment="scheduling", metrics={"periods_to_stability": 3})
    assert queries_of(page, "/convergence/") == before
