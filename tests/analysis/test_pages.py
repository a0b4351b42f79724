"""The leaderboard, the runs behind its cells, and figures, as a member of an organization sees them."""

from __future__ import annotations

import re

import pytest
from django.urls import reverse

BOARD = "/leaderboard/"


def figure_url(run):
    return reverse("analysis:run-figure", args=[run.pk])


def shown(response):
    """The page without its filters, which name every agent."""
    return re.sub(r'<form class="board-filters".*?</form>', "", response.content.decode(), flags=re.DOTALL)


def without_token(response):
    return re.sub(rb'name="csrfmiddlewaretoken" value="[^"]*"', b"", response.content)


@pytest.fixture
def played_run(run_row, played):
    """A run of ten periods in the database."""
    from runs.models import Period

    game = played("pricing")
    run = run_row(problem=game.instance, state="running", score=None, periods_played=10)
    Period.objects.bulk_create(
        Period(run=run, index=o.period, action=o.action, result=o.result, quality=o.quality) for o in game.outcomes[:10]
    )
    return run


def test_without_own_runs_the_leaderboard_shows_the_papers_and_what_to_do(member):
    text = member.get(BOARD).content.decode()
    assert "Gemini 3 Pro Preview" in text and "Launch an experiment" in text


def test_own_rows_stand_beside_published_ones_and_link_to_their_runs(member, run_row):
    run_row("house", 0.75, name="House model")
    text = member.get(BOARD).content.decode()
    assert "House model" in text and "GPT-5" in text and "75.0" in text
    assert "agent=house&amp;environment=pricing&amp;difficulty=BASIC" in text


def test_rows_can_be_left_out(member, run_row):
    run_row("house", name="House model")
    text = shown(member.get(BOARD, {"rows": ["own"]}))
    assert "House model" in text and "GPT-5" not in text


def test_another_generator_shows_only_its_own_runs_and_no_published_rows(member, run_row):
    run_row("house", name="House model")
    run_row("text", name="Text model", generator="paper_text")
    text = shown(member.get(BOARD, {"generator": "paper_text"}))
    assert "Text model" in text and "House model" not in text and "GPT-5" not in text
    assert "Published rows are left out" in text


def test_runs_of_another_length_are_not_mixed_in(member, run_row):
    run_row("short", name="Short run", periods=5)
    assert "Short run" not in shown(member.get(BOARD))
    assert "Short run" in shown(member.get(BOARD, {"periods": "5"}))


def test_dates_choose_runs_and_a_wrong_order_is_told(member, run_row):
    run_row("house", name="House model")
    assert "House model" not in shown(member.get(BOARD, {"end": "2020-01-01"}))
    text = member.get(BOARD, {"start": "2026-02-02", "end": "2026-01-01"}).content.decode()
    assert "The last day is before the first." in text


@pytest.mark.parametrize(
    "query",
    ["?generator=x", "?periods=1e9", "?environments=nope&sort=pk", "?start=yesterday", "?chart=../etc", "?variant=%00"],
)
def test_nonsense_in_the_address_shows_the_default_table(member, query):
    response = member.get(BOARD + query)
    assert response.status_code == 200
    assert "GPT-5" in response.content.decode()


def test_the_address_after_a_filter_holds_only_what_differs(member):
    response = member.get(
        BOARD, {"environments": ["pricing"], "start": "", "variant": "main"}, headers={"HX-Request": "true"}
    )
    assert response["HX-Push-Url"] == "/leaderboard/?environments=pricing"


def test_no_own_agent_of_another_organization_is_seen_anywhere(member, run_row, other_organization):
    foreign = run_row("spy", 0.123, name="Rival model", organization=other_organization)
    for url in (
        BOARD,
        "/leaderboard/figure.json",
        "/leaderboard/table.csv",
        "/leaderboard/table.tex",
        "/leaderboard/figure.csv",
    ):
        assert "Rival" not in member.get(url, {"chart": "pricing"}).content.decode()
    asked = {"agent": "spy", "environment": "pricing", "difficulty": "BASIC"}
    assert member.get("/leaderboard/cell/", asked).status_code == 404
    assert member.get(figure_url(foreign)).status_code == 404


def test_a_foreign_runs_figure_is_as_absent_as_a_missing_one(member, run_row, other_organization):
    foreign = run_row(organization=other_organization)
    missing = "/runs/999999999999/figure.json"
    assert without_token(member.get(figure_url(foreign))) == without_token(member.get(missing))
    assert member.get("/runs/99999999999999999999999/figure.json").status_code == 404


def test_a_cell_lists_its_runs_with_state_and_score(member, run_row):
    done = run_row("house", 0.75, seed=3)
    run_row("house", None, seed=4, state="stalled")
    asked = {"agent": "house", "environment": "pricing", "difficulty": "BASIC"}
    text = member.get("/leaderboard/cell/", asked).content.decode()
    assert f'href="/runs/{done.pk}/"' in text and "seed 4" in text and "Stalled" in text
    assert "1 of 2 instances scored" in text


@pytest.mark.parametrize("wrong", [{"agent": "nobody"}, {"environment": "poker"}, {"difficulty": "CUSTOM"}])
def test_a_cell_that_does_not_exist_is_not_found(member, run_row, wrong):
    run_row("house")
    asked = {"agent": "house", "environment": "pricing", "difficulty": "BASIC"} | wrong
    assert member.get("/leaderboard/cell/", asked).status_code == 404


def test_the_figure_of_a_run_is_asked_for_again_only_when_something_was_played(member, played_run):
    first = member.get(figure_url(played_run))
    assert [len(t["x"]) for t in first.json()["data"] if t["name"] == "set by agent"] == [10]
    assert member.get(figure_url(played_run), headers={"If-None-Match": first["ETag"]}).status_code == 304
    played_run.periods_played = 11
    played_run.save()
    assert member.get(figure_url(played_run), headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_the_figure_below_the_table_has_the_runs_of_the_chosen_environment(member, run_row):
    run = run_row("house", 0.75)
    figure = member.get("/leaderboard/figure.json", {"chart": "pricing"}).json()
    assert [t["customdata"] for t in figure["data"] if "customdata" in t] == [[f"/runs/{run.pk}/"]]


def test_downloads_are_files_with_names(member, run_row):
    run_row("house", 0.75)
    for name in ("table.csv", "table.tex", "figure.csv"):
        response = member.get(f"/leaderboard/{name}")
        assert "attachment" in response["Content-Disposition"]
    assert b"house,own,pricing,BASIC,0.75" in member.get("/leaderboard/table.csv").content


def test_a_visitor_is_asked_to_log_in(client, db):
    for url in (
        BOARD,
        "/leaderboard/cell/",
        "/leaderboard/figure.json",
        "/leaderboard/table.csv",
        "/runs/1/figure.json",
    ):
        assert client.get(url).status_code == 302


@pytest.mark.parametrize(
    ("url", "queries"),
    [(BOARD, 10), ("/leaderboard/figure.json", 7), ("/leaderboard/table.csv", 6)],
)
def test_the_number_of_queries_does_not_grow_with_the_runs(member, run_row, django_assert_num_queries, url, queries):
    for seed in range(5):
        run_row(f"agent-{seed}", seed=seed)
    with django_assert_num_queries(queries):
        member.get(url)


def test_the_pages_of_a_cell_and_a_figure_need_few_queries(member, run_row, played_run, django_assert_num_queries):
    for seed in range(5):
        run_row("house", seed=seed)
    with django_assert_num_queries(12):
        member.get("/leaderboard/cell/", {"agent": "house", "environment": "pricing", "difficulty": "BASIC"})
    with django_assert_num_queries(6):
        member.get(figure_url(played_run))
