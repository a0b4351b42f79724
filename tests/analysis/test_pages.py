"""The leaderboard, the runs of its cells and its figures, as a member sees them; filters as JSON and as text."""

import pytest
from django.http import QueryDict
from django.urls import reverse

from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.forms import FilterForm
from analysis.saved.kinds import from_json, to_json
from runs.models import Period
from tests.analysis.conftest import without_filters

LEADERBOARD, CELL = "/leaderboard/", "/leaderboard/cell/"
PLACE = {"agent": "house", "environment": "pricing", "difficulty": "BASIC"}


def test_the_leaderboard_without_own_runs_shows_published_rows_and_what_to_do(page):
    text = page.get(LEADERBOARD).text
    assert "Gemini 3 Pro Preview" in text and "Launch an experiment" in text


def test_own_rows_link_to_their_runs_and_published_rows_can_be_hidden(page, run_row):
    run_row("house", 0.75, name="House model")
    text = page.get(LEADERBOARD).text
    assert "House model" in text and "GPT-5" in text and "75.0" in text
    assert "agent=house&amp;environment=pricing&amp;difficulty=BASIC" in text
    text = without_filters(page.get(LEADERBOARD, {"rows": ["own"]}))
    assert "House model" in text and "GPT-5" not in text


@pytest.mark.parametrize(("name", "value"), [("generator", "paper_text"), ("periods", 5)])
def test_runs_under_other_conditions_appear_only_on_request_and_separately(page, run_row, name, value):
    run_row("house", name="House model")
    run_row("other", name="Other model", **{name: value})
    assert "Other model" not in without_filters(page.get(LEADERBOARD))
    text = without_filters(page.get(LEADERBOARD, {name: value}))
    assert "Other model" in text and "House model" not in text and "GPT-5" not in text
    assert "Published rows are left out" in text


def test_dates_filter_runs_and_reversed_dates_are_reported(page, run_row):
    run_row("house", name="House model")
    assert "House model" not in without_filters(page.get(LEADERBOARD, {"end": "2020-01-01"}))
    text = page.get(LEADERBOARD, {"start": "2026-02-02", "end": "2026-01-01"}).text
    assert "The last day is before the first." in text


@pytest.mark.long
def test_invalid_parameters_give_the_default_table(page):
    nonsense = (
        "generator=x",
        "periods=1e9",
        "environments=nope&sort=pk",
        "start=yesterday",
        "chart=../etc",
        "variant=%00",
    )
    for query in nonsense:
        response = page.get(f"{LEADERBOARD}?{query}")
        assert response.status_code == 200 and "GPT-5" in response.text, query


def test_the_address_after_a_filter_holds_only_differences_from_the_default(page):
    asked = {"environments": ["pricing"], "start": "", "variant": "main"}
    response = page.get(LEADERBOARD, asked, headers={"HX-Request": "true"})
    assert response["HX-Push-Url"] == "/leaderboard/?environments=pricing"


@pytest.mark.long
def test_no_page_shows_an_agent_of_another_organization(page, run_row, other):
    run_row("spy", 0.123, name="Rival model", organization=other.organization)
    for part in ("", "figure.json", "table.csv", "table.tex", "runs.csv"):
        assert "Rival" not in page.get(LEADERBOARD + part, {"chart": "pricing"}).text
    assert page.get(CELL, {**PLACE, "agent": "spy"}).status_code == 404


def test_a_cell_lists_its_runs_with_state_and_score(page, run_row):
    done = run_row("house", 0.75, seed=3)
    run_row("house", None, seed=4, state="stalled")
    text = page.get(CELL, PLACE).text
    assert f'href="/runs/{done.pk}/"' in text and "seed 4" in text and "Stopped: stalled" in text
    assert "1 of 2 instances scored" in text
    for wrong in ({"agent": "nobody"}, {"environment": "poker"}, {"difficulty": "CUSTOM"}):
        assert page.get(CELL, PLACE | wrong).status_code == 404


def test_the_figure_of_a_run_is_sent_again_only_after_new_periods(
    page, run_row, baseline_run, django_assert_num_queries
):
    game = baseline_run("pricing")
    run = run_row(problem=game.instance, state="running", score=None, periods_played=10)
    Period.objects.bulk_create(
        Period(run=run, index=o.period, action=o.action, result=o.result, quality=o.quality) for o in game.outcomes[:10]
    )
    address = reverse("analysis:run-figure", args=[run.pk])
    with django_assert_num_queries(6):
        first = page.get(address)
    assert [len(t["x"]) for t in first.json()["data"] if t["name"] == "set by agent"] == [10]
    assert page.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 304
    run.periods_played = 11
    run.save()
    assert page.get(address, headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_downloads_have_file_names_and_the_figure_follows_the_environment_filter(page, run_row):
    run = run_row("house", 0.75)
    for name in ("table.csv", "table.tex", "runs.csv"):
        assert "attachment" in page.get(f"/leaderboard/{name}")["Content-Disposition"]
    assert b"house,own,pricing,BASIC,0.75" in page.get("/leaderboard/table.csv").content
    figure = page.get("/leaderboard/figure.json", {"chart": "pricing"}).json()
    assert [t["customdata"] for t in figure["data"] if "customdata" in t] == [[f"/runs/{run.pk}/"]]


def test_a_filter_in_use_is_removed_by_its_chip(page, run_row):
    run_row()
    text = page.get("/leaderboard/?periods=100&difficulties=BASIC&start=2026-01-02").text
    assert '<a class="chip"' in text and "from 2 Jan 2026" in text
    assert 'href="/leaderboard/?difficulties=BASIC"' in text and 'href="/leaderboard/?start=2026-01-02"' in text
    assert '<a class="chip"' not in page.get("/leaderboard/").text


@pytest.mark.long
def test_the_number_of_queries_does_not_grow_with_the_runs(page, run_row, django_assert_num_queries):
    for seed in range(5):
        run_row("house", seed=seed)
        run_row(f"agent-{seed}", seed=seed)
    for url, queries in {
        LEADERBOARD: 15,
        f"{LEADERBOARD}figure.json": 12,
        f"{LEADERBOARD}table.csv": 10,
        CELL: 16,
    }.items():
        with django_assert_num_queries(queries):
            assert page.get(url, PLACE if url == CELL else {}).status_code == 200


def test_a_filter_survives_a_round_trip_through_json():
    hard = {"environments": ("pricing",), "difficulties": ("HARD",), "periods": 7, "agents": ("house", "b")}
    for kind, chosen in (
        ("benchmark", TableFilter()),
        ("benchmark", TableFilter(**hard)),
        ("benchmark", TableFilter(generator="paper_text", rows=("own",), sort="agent")),
        ("litmus", LitmusFilter()),
        ("litmus", LitmusFilter(scope="all", rows=("own",), experiment=12, agents=("house",))),
    ):
        assert from_json(kind, to_json(chosen)) == chosen
    withdrawn = {"generator": "withdrawn", "environments": ["pricing"]}
    assert from_json("benchmark", withdrawn) == TableFilter(environments=("pricing",))
    saved = to_json(TableFilter())
    assert (saved["generator"], saved["periods"]) == ("published", 100), "what is as by default is saved, too"


def test_a_filter_describes_itself():
    chosen = TableFilter(environments=("pricing",), difficulties=("HARD",), periods=7, agents=("a", "b"))
    assert chosen.describe() == ["Pricing", "HARD", "7 periods", "2 agents chosen"]


def test_errors_of_filters_list_the_choices_even_with_a_percent_sign():
    form = FilterForm(TableFilter, QueryDict("agents=nobody"), agents=[("100%s-sure", "Sure")])
    assert form.errors["agents"] == ["nobody is not one of 100%s-sure."]
