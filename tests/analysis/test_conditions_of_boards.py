"""Runs of one agent that were played otherwise than most of them are in no mean, unless somebody asks for it."""

import pytest
from django.core.management import call_command

from analysis.base.filters import ALL, MIXED, LitmusFilter, TableFilter
from analysis.boards import (
    benchmark_records,
    benchmark_runs,
    cell_runs,
    chart_runs,
    comparisons_of,
    records_of,
    table_of,
)
from analysis.forms import CompareFilter
from analysis.hidden import hidden_of_cell, hidden_runs
from analysis.kinds import from_json, to_json
from analysis.mechanisms.selectors import filter_of_environment, means_of
from analysis.trends.selectors import own_observations
from runs.conditions import conditions_key
from runs.models import Agent
from tests.api.conftest import owning, program  # noqa: F401

SENT = {"wire": "chat", "forced": True, "effort": "", "thinking": "", "left_out": [], "model": "house-1"}
USUAL = conditions_key({"seat_0": SENT})
FREE = conditions_key({"seat_0": SENT | {"forced": False}})
OTHER = conditions_key({"seat_0": SENT | {"model": "house-2"}})

BOARD, OWN, POOLED = TableFilter(), TableFilter(rows=("own",)), TableFilter(mixed=1)


@pytest.fixture
def mixed(run_row):
    """Three usual runs of House with score 0.2 and two with tools not forced and score 0.8, on instances of their own."""
    for seed in range(3):
        run_row("house", 0.2, seed=seed, conditions_key=USUAL)
    return [run_row("house", 0.8, seed=seed, conditions_key=FREE) for seed in (2, 3)]


def means(organization, chosen=BOARD):
    return {
        row.name: [round(mean, 9) for mean in row.means]
        for row in table_of(organization=organization, table_filter=chosen).rows
    }


def sentence(organization, chosen=BOARD):
    return hidden_runs(organization=organization, board_filter=chosen).sentence


def test_the_board_leaves_them_out_says_so_and_pools_them_when_asked(mixed, organization):
    assert means(organization, OWN) == {"house": [0.2]}
    assert sentence(organization) == "2 finished runs are hidden: 2 of house played otherwise (tools not forced)."
    group = hidden_runs(organization=organization, board_filter=OWN).largest
    assert group.query == "rows=own&mixed=1"
    pooled = TableFilter(rows=("own",), mixed=1)
    # The instance of seed 2 was played both ways and counts as its mean.
    assert means(organization, pooled) == {"house": [0.425]}
    assert sentence(organization, pooled) == ""


def test_of_equally_many_the_newest_run_decides(run_row, organization):
    run_row("house", 0.2, seed=0, conditions_key=FREE)
    run_row("house", 0.8, seed=1, conditions_key=USUAL)
    assert means(organization, OWN) == {"house": [0.8]}


def test_runs_of_earlier_versions_are_pooled_with_each_other_only(run_row, organization):
    run_row("house", 0.2, seed=0)
    run_row("house", 0.4, seed=1)
    assert sentence(organization) == ""
    run_row("house", 0.9, seed=2, conditions_key=USUAL)
    assert means(organization, OWN) == {"house": [0.3]}
    assert sentence(organization) == (
        "1 finished run is hidden: 1 of house perhaps played otherwise (how the model of its other runs was asked is not "
        "recorded)."
    )


def test_the_conditions_of_a_row_do_not_change_with_the_environments_and_agents_that_are_shown(
    mixed, run_row, organization
):
    for seed in range(5):
        run_row("house", 0.6, environment="procurement", seed=seed, conditions_key=FREE)
    pricing = TableFilter(environments=("pricing",), agents=("house",))
    for chosen in (TableFilter(), pricing):
        records = benchmark_records(organization=organization, table_filter=chosen)
        assert {run.score for run in records if run.environment == "pricing"} == {0.8}
    runs = chart_runs(organization=organization, table_filter=TableFilter(chart="pricing"))
    assert runs.total == 2


def test_a_cell_shows_the_runs_of_its_mean(mixed, organization, agent):
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


def test_agents_are_judged_each_by_its_own_runs(mixed, run_row, organization):
    run_row("free", 0.9, seed=0, conditions_key=FREE)
    run_row("old", 0.7, seed=0)
    assert means(organization, OWN) == {"house": [0.2], "free": [0.9], "old": [0.7]}


def test_a_comparison_pairs_runs_of_the_usual_conditions_only(mixed, run_row, organization):
    for seed in range(4):
        run_row("rival", 0.4, seed=seed, conditions_key=FREE)
    chosen = CompareFilter(agents=("house", "rival"), environments=("pricing",))
    (comparison,) = comparisons_of(organization=organization, board_filter=chosen)
    assert [pair.difference for pair in comparison.pairs] == [pytest.approx(20)] * 3
    assert "2 of house played otherwise" in sentence(organization, chosen)


def test_trends_and_mechanisms_rest_on_the_usual_conditions_too(mixed, organization):
    Agent.objects.filter(slug="house").update(release_date="2025-01-01")
    pricing = filter_of_environment(OWN, "pricing")
    (mean,) = means_of(organization=organization, table_filter=pricing)
    assert (mean.score, mean.runs) == (pytest.approx(20), 3)
    found = own_observations(organization, pricing)
    assert [len(model.scores) for models in found.values() for model in models] == [3]


def test_markets_are_judged_by_both_of_their_agents(run_row, organization):
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


def test_hundreds_of_agents_that_were_played_in_two_ways_take_two_queries_more(
    mixed, run_row, organization, django_assert_num_queries
):
    for number in range(40):
        for seed, key in ((0, USUAL), (1, OTHER)):
            run_row(f"agent-{number}", seed=seed, conditions_key=key)
    with django_assert_num_queries(3):
        assert benchmark_runs(organization=organization, table_filter=TableFilter()).count() == 43


def test_a_saved_leaderboard_keeps_the_choice():
    assert to_json(POOLED)["mixed"] == 1
    assert from_json("benchmark", to_json(POOLED)) == POOLED
    assert "mixed" not in to_json(TableFilter()), "boards of earlier versions have no such choice"


def test_every_door_says_it_and_shows_them(mixed, page, owning, capsys):  # noqa: F811
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
