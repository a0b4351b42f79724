"""Leaderboards use an agent's most frequent conditions; other runs are hidden until a filter includes them."""

import pytest
from django.core.management import call_command

from analysis.base.benchmark_filters import CompareFilter, TableFilter
from analysis.base.filters import MIXED
from analysis.base.litmus_filters import ALL, LitmusFilter
from analysis.behaviour.selectors import filter_of_environment, means_of
from analysis.benchmark.runs import benchmark_records, benchmark_runs, cell_runs, chart_runs, table_of
from analysis.comparing.selectors import comparisons_of
from analysis.hidden import hidden_of_cell, hidden_runs
from analysis.litmus.runs import records_of
from analysis.saved.kinds import from_json, to_json
from analysis.trends.selectors import own_observations
from runs.conditions import conditions_key
from runs.models import Agent
from tests.api.conftest import owning, program  # noqa: F401

SENT = {"wire": "chat", "forced": True, "effort": "", "thinking": "", "left_out": [], "model": "house-1"}
USUAL = conditions_key({"seat_0": SENT})
FREE = conditions_key({"seat_0": SENT | {"forced": False}})
OTHER = conditions_key({"seat_0": SENT | {"model": "house-2"}})

LEADERBOARD, OWN, POOLED = TableFilter(), TableFilter(rows=("own",)), TableFilter(mixed=1)


@pytest.fixture
def mixed(run_row):
    """Three usual runs of House with score 0.2 and two with tools not forced and score 0.8, on instances of their own."""
    for seed in range(3):
        run_row("house", 0.2, seed=seed, conditions_key=USUAL)
    return [run_row("house", 0.8, seed=seed, conditions_key=FREE) for seed in (2, 3)]


def means(organization, chosen=LEADERBOARD):
    return {
        row.name: [round(mean, 9) for mean in row.means]
        for row in table_of(organization=organization, table_filter=chosen).rows
    }


def sentence(organization, chosen=LEADERBOARD):
    return hidden_runs(organization=organization, run_filter=chosen).sentence


def test_the_leaderboard_hides_other_conditions_with_a_count_and_can_pool_them(mixed, organization):
    assert means(organization, OWN) == {"house": [0.2]}
    assert sentence(organization) == "2 finished runs are hidden: 2 of house played otherwise (tools not forced)."
    group = hidden_runs(organization=organization, run_filter=OWN).largest
    assert group.query == "rows=own&mixed=1"
    pooled = TableFilter(rows=("own",), mixed=1)
    # The instance of seed 2 was played both ways and counts as its mean.
    assert means(organization, pooled) == {"house": [0.425]}
    assert sentence(organization, pooled) == ""


def test_the_newest_run_decides_between_equally_frequent_conditions(run_row, organization):
    run_row("house", 0.2, seed=0, conditions_key=FREE)
    run_row("house", 0.8, seed=1, conditions_key=USUAL)
    assert means(organization, OWN) == {"house": [0.8]}


def test_runs_of_earlier_versions_are_pooled_only_with_each_other(run_row, organization):
    run_row("house", 0.2, seed=0)
    run_row("house", 0.4, seed=1)
    assert sentence(organization) == ""
    run_row("house", 0.9, seed=2, conditions_key=USUAL)
    assert means(organization, OWN) == {"house": [0.3]}
    assert sentence(organization) == (
        "1 finished run is hidden: 1 of house perhaps played otherwise (how the model of its other runs was asked is not "
        "recorded)."
    )


def test_the_conditions_of_a_row_do_not_depend_on_the_filters(mixed, run_row, organization):
    for seed in range(5):
        run_row("house", 0.6, environment="procurement", seed=seed, conditions_key=FREE)
    pricing = TableFilter(environments=("pricing",), agents=("house",))
    for chosen in (TableFilter(), pricing):
        records = benchmark_records(organization=organization, table_filter=chosen)
        assert {run.score for run in records if run.environment == "pricing"} == {0.8}
    runs = chart_runs(organization=organization, table_filter=TableFilter(chart="pricing"))
    assert runs.total == 2


def test_a_cell_lists_the_runs_of_its_mean(mixed, organization, agent):
    (column, *_) = TableFilter(environments=("pricing",)).columns
    of_cell = {"organization": organization, "column": column, "agent": Agent.objects.get(slug="house")}
    assert cell_runs(table_filter=TableFilter(), **of_cell).count() == 3
    assert hidden_of_cell(table_filter=TableFilter(), **of_cell).sentence == (
        "2 finished runs are hidden: 2 of house played otherwise (tools not forced)."
    )
    assert cell_runs(table_filter=POOLED, **of_cell).count() == 5


def test_unfinished_runs_stay_in_the_table(mixed, run_row, organization):
    run_row("house", None, seed=7, state="running", conditions_key=FREE)
    (row,) = table_of(organization=organization, table_filter=OWN).rows
    assert [(cell.n, cell.of) for cell in row.cells if cell] == [(3, 4)]


def test_usual_conditions_are_determined_per_agent(mixed, run_row, organization):
    run_row("free", 0.9, seed=0, conditions_key=FREE)
    run_row("old", 0.7, seed=0)
    assert means(organization, OWN) == {"house": [0.2], "free": [0.9], "old": [0.7]}


def test_a_comparison_pairs_only_runs_of_the_usual_conditions(mixed, run_row, organization):
    for seed in range(4):
        run_row("rival", 0.4, seed=seed, conditions_key=FREE)
    chosen = CompareFilter(agents=("house", "rival"), environments=("pricing",))
    (comparison,) = comparisons_of(organization=organization, run_filter=chosen)
    assert [pair.difference for pair in comparison.pairs] == [pytest.approx(20)] * 3
    assert "2 of house played otherwise" in sentence(organization, chosen)


def test_trends_and_behaviour_use_only_runs_of_the_usual_conditions(mixed, organization):
    Agent.objects.filter(slug="house").update(release_date="2025-01-01")
    pricing = filter_of_environment(OWN, "pricing")
    (mean,) = means_of(organization=organization, table_filter=pricing)
    assert (mean.score, mean.runs) == (pytest.approx(20), 3)
    found = own_observations(organization, pricing)
    assert [len(model.scores) for models in found.values() for model in models] == [3]


def test_conditions_of_markets_depend_on_both_agents(run_row, organization):
    market = {"environment": "collusiveness_vs_competitiveness", "difficulty": "STANDARD", "periods": 4}
    run_row("third", seed=9, **market)
    for slug in ("third", "other"):
        rival, _ = Agent.objects.get_or_create(organization=organization, slug=slug, defaults={"name": slug})
        for seed in range(2):
            run_row("house", seed=seed, rival=rival, conditions_key=FREE if slug == "third" else OTHER, **market)
    run_row("house", seed=5, conditions_key=USUAL, **market)
    chosen = LitmusFilter(scope=ALL)
    assert len(records_of(organization=organization, litmus_filter=chosen)) == 6
    assert sentence(organization, chosen) == ""
    run_row("house", seed=3, rival=rival, conditions_key=USUAL, **market)
    assert len(records_of(organization=organization, litmus_filter=chosen)) == 6
    assert "1 of house played otherwise (house-1 answered instead of house-2)" in sentence(organization, chosen)


def test_mixed_conditions_take_two_more_queries_at_any_number_of_agents(
    mixed, run_row, organization, django_assert_num_queries
):
    for number in range(40):
        for seed, key in ((0, USUAL), (1, OTHER)):
            run_row(f"agent-{number}", seed=seed, conditions_key=key)
    with django_assert_num_queries(3):
        assert benchmark_runs(organization=organization, table_filter=TableFilter()).count() == 43


def test_a_saved_leaderboard_keeps_the_choice_of_conditions():
    assert to_json(POOLED)["mixed"] == 1
    assert from_json("benchmark", to_json(POOLED)) == POOLED
    assert "mixed" not in to_json(TableFilter()), "leaderboards of earlier versions have no such choice"


def test_page_api_and_command_report_and_show_runs_of_other_conditions(mixed, page, owning, capsys):  # noqa: F811
    words = "2 of house played otherwise (tools not forced)"
    text = page.get("/leaderboard/").text
    assert words in text and "/leaderboard/?mixed=1" in text
    assert words not in page.get("/leaderboard/?mixed=1").text and MIXED[1] in text
    hidden = owning.get("/leaderboards/benchmark").json()["hidden"]
    assert words in hidden["sentence"] and hidden["query"] == "mixed=1"
    assert owning.get("/leaderboards/benchmark?mixed=1").json()["hidden"]["runs"] == 0
    call_command("leaderboard")
    assert f"{words}. Show the 2 by --mixed." in capsys.readouterr().out
    call_command("leaderboard", "--mixed")
    assert "hidden" not in capsys.readouterr().out
