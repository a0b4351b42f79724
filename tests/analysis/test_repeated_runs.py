"""Several runs of an agent on one instance: no board counts them twice, and the variance answer splits them."""

from datetime import date, timedelta

import pytest

from analysis.answers import ANSWERS
from analysis.answers.behaviour import BehaviourFilter
from analysis.answers.trends import TrendFilter
from analysis.answers.variance import VARIANCE, VarianceFilter
from analysis.base.benchmark_filters import CompareFilter, TableFilter
from analysis.behaviour.selectors import data_of
from analysis.benchmark.runs import table_of
from analysis.comparing.selectors import comparisons_of
from analysis.litmus.page import agent_means
from analysis.litmus.scores import litmus_scores
from analysis.trends.selectors import trends_of
from environments.registry import LITMUS_TESTS
from runs.models import Agent
from stats.means import deviation_interval, mean_interval
from tests.analysis.conftest import run_record
from tests.figures import check_figure

EQUALITY, COLLUSION = LITMUS_TESTS[1:]
PRICING = {"environments": ("pricing",), "difficulties": ("BASIC",)}


@pytest.fixture
def repeated(run_row):
    """Two agents on eight instances; on the first, b has four runs that are far worse, so every mean of runs differs."""
    for seed in range(8):
        run_row("a", 0.5, seed=seed, metrics={"adaptability": 0.1})
        run_row("b", 0.6 + 0.01 * seed, seed=seed, metrics={"adaptability": 0.2}, solved=True)
    for repeat in range(1, 4):
        run_row("b", 0.2, seed=0, repeat=repeat, metrics={"adaptability": 0.6}, solved=False)
    return {"a": 50.0, "b": (30 + sum(60 + seed for seed in range(1, 8))) / 8}


def test_the_leaderboard_and_comparisons_pair_the_means_of_instances(organization, repeated):
    table = table_of(organization=organization, table_filter=TableFilter(rows=("own",), **PRICING))
    cells = {row.name: row.cells[0] for row in table.rows}
    scores = [0.3] + [0.6 + 0.01 * seed for seed in range(1, 8)]
    assert {name: 100 * cell.mean for name, cell in cells.items()} == pytest.approx(repeated)
    assert (cells["b"].n, cells["b"].of, cells["b"].solved) == (8, 8, 7)
    assert cells["b"].interval == pytest.approx(mean_interval(scores))
    run_filter = CompareFilter(agents=("a", "b"), **PRICING)
    (comparison,) = comparisons_of(organization=organization, run_filter=run_filter)
    assert comparison.paired.n == 8 and comparison.added == 0
    assert comparison.paired.difference == pytest.approx(repeated["b"] - repeated["a"])
    assert [match.second.runs for match in comparison.pairs] == [4, *[1] * 7]


def test_trends_and_behaviour_average_instances_and_not_runs(organization, repeated, run_row):
    run_row("c", 0.9)
    for number, agent in enumerate(Agent.objects.filter(slug__in="abc").order_by("slug")):
        agent.release_date, agent.model = date(2025, 1, 1) + timedelta(days=365 * number), agent.slug
        agent.save()
    (column,) = trends_of(organization=organization, table_filter=TrendFilter(rows=("own",), **PRICING))
    assert {row.name: row.means.mean() for row in column.own} == pytest.approx(repeated | {"c": 90.0})
    assert column.own_trend.slope * 2 * 365 / 365.25 == pytest.approx(40.0) and column.own_trend.n == 20
    (environment,) = data_of(organization, BehaviourFilter(rows=("own",), **PRICING))
    means = {agent.name: agent for agent in environment.means}
    assert (means["b"].score, means["b"].runs) == (pytest.approx(repeated["b"]), 11)
    adaptability = means["b"].measured["adaptability"]
    assert (adaptability.percent, adaptability.n) == (pytest.approx((0.5 + 7 * 0.2) * 100 / 8), 11)
    assert means["a"].measured["adaptability"].percent == pytest.approx(10) and not means["c"].measured
    (pair,) = (pair for pair in environment.grid.pairs if {pair.first.name, pair.second.name} == {"a", "b"})
    assert {test.n for test in pair.tests.values()} == {8}


def litmus_run(score, seed, test=EQUALITY, **changes):
    return run_record(score, environment=test, difficulty="STANDARD", seed=seed, **changes)


def test_a_litmus_score_is_the_mean_of_instances_and_its_reliability_one_of_runs():
    instances = [0.2, 0.3, 0.25, 0.3, 0.2, 0.25]
    runs = [litmus_run(score, seed) for seed, score in enumerate(instances)]
    runs += [litmus_run(0.4, 0), litmus_run(0.6, 0)]
    scores = litmus_scores(EQUALITY, runs)
    means = [0.4, *instances[1:]]
    assert (scores.litmus.mean, scores.litmus.n) == (pytest.approx(sum(means) / 6), 8)
    assert scores.litmus.interval == pytest.approx(mean_interval(means))
    low, high = deviation_interval(1 - scores.reliability, 5)
    assert scores.steadiness == pytest.approx((1 - high, 1 - low))
    assert litmus_scores(EQUALITY, [litmus_run(0.4, 0), litmus_run(0.6, 0)]).steadiness is None
    means = agent_means([run.__class__(**vars(run) | {"metrics": PARETO}) for run in runs])
    assert means[0].litmus == pytest.approx(scores.litmus.mean) and means[0].runs == 8


PARETO = {"frontier_distance": 1.0, "frontier_share": None}


def test_runs_that_pass_or_fail_are_counted_one_by_one():
    competency = [litmus_run(score, 0, COLLUSION, variant="single_agent") for score in (1.0, 1.0, 0.0)]
    scores = litmus_scores(COLLUSION, [*competency, litmus_run(0.0, 1, COLLUSION, variant="single_agent")])
    assert (scores.competency.solved, scores.competency.n) == (2, 4)
    assert scores.competency.mean == pytest.approx(0.5)


def test_the_variance_answer_splits_the_scores_and_weighs_seeds_against_repeats(page, organization, run_row):
    for seed in range(6):
        for agent, level in (("a", 0.4), ("b", 0.5)):
            for repeat in range(2):
                score = level + 0.05 * seed + 0.01 * ((seed * 7 + (agent == "b") * 3) % 5) + 0.02 * repeat
                run_row(agent, score, seed=seed, repeat=repeat, cost_nano=10**7)
    for address in ("/variance/", "/variance/?environments=pricing"):
        text = page.get(address).text
        assert "Components of the variance" in text and "Smallest difference detected with 80 % power" in text
        assert "of the variance of a difference between two agents" in text and "more seeds always detect" in text
    variance_filter = VarianceFilter(**PRICING)
    rows = {row[2]: row for row in VARIANCE.table("variance", organization, variance_filter, "csv").rows}
    assert list(rows) == ["instance", "agent on instance", "run"]
    assert rows["run"][3] == pytest.approx(100 * 0.01 * 2**0.5) and rows["run"][-3:] == (2, 6, 24)
    assert rows["run"][4] < rows["run"][3] < rows["run"][5] and rows["instance"][4:6] == (None, None)
    assert sum(row[6] for row in rows.values()) == pytest.approx(100)
    plan = VARIANCE.table("variance_plan", organization, variance_filter, "csv").rows
    assert [row[2] for row in plan] == [1, 2, 3, 5] and [row[-1] for row in plan] == pytest.approx(
        [0.02, 0.04, 0.06, 0.1]
    )
    assert plan[0][4] < plan[1][3] < plan[0][3]
    check_figure(page.get("/variance/figure.json").json())


def test_copies_of_a_baseline_are_no_repeats_and_baselines_must_be_chosen(page, organization, run_row):
    for seed in range(6):
        for _ in range(3):
            run_row("rule", 0.1 * seed, seed=seed)
    Agent.objects.filter(slug="rule").update(baseline="random")
    assert "No finished run fits the filters." in page.get("/variance/").text
    (cell,) = VARIANCE.read(organization, VarianceFilter(rows=("baseline",)))
    assert list(cell.result.terms) == ["all three"] and cell.result.runs == 6
    sentence = VARIANCE.sentences([cell])[1]
    assert sentence.startswith("Pricing BASIC: no agent has two runs on one instance, so the spread of runs is not")
    assert list(VARIANCE.tables["variance_plan"].rows([cell])) == []


def test_the_variance_answer_takes_one_query_for_all_columns(organization, run_row, django_assert_num_queries):
    for number in range(6):
        run_row(f"a{number % 2}", 0.1 * number, seed=number // 2, difficulty=("BASIC", "HARD")[number % 2])
    with django_assert_num_queries(2):
        ANSWERS["variance"].read(organization, VarianceFilter())
