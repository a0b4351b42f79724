"""Paging of lists by cursor."""

import pytest

from runs.models import Exchange


def pages(program, path, meanwhile=lambda: None, **query):
    """All rows of a list, with something happening after each page."""
    rows, cursor = [], {}
    while True:
        answer = program.get(path, **query, **cursor).json()
        rows += answer["items"]
        if answer["next_cursor"] is None:
            return rows
        assert len(answer["items"]) == query["limit"]
        cursor = {"cursor": answer["next_cursor"]}
        meanwhile()


@pytest.mark.long
def test_every_row_appears_once_while_rows_are_added(owning, launch):
    there = [launch("random").pk for _ in range(7)]
    rows = pages(owning, "/experiments", lambda: launch("random"), limit=2)
    assert [row["id"] for row in rows] == there[::-1]


def test_deleting_the_row_behind_the_cursor_skips_no_other_row(owning, launch):
    there = [launch("random") for _ in range(5)]
    first = owning.get("/experiments", limit=2).json()
    there[3].delete()
    second = owning.get("/experiments", limit=2, cursor=first["next_cursor"]).json()
    assert [row["id"] for row in second["items"]] == [there[2].pk, there[1].pk]


@pytest.mark.long
def test_runs_periods_notes_agents_and_endpoints_are_paged(owning, played):
    run = played("random", seeds=tuple(range(5))).runs.first()
    assert len(pages(owning, "/runs", limit=2)) == 5
    assert [row["period"] for row in pages(owning, f"/runs/{run.pk}/periods", limit=3)] == [0, 1, 2, 3]
    notes = pages(owning, f"/runs/{run.pk}/notes", limit=3)
    assert [note["period"] for note in notes] == sorted(note["period"] for note in notes)
    agents = owning.get("/agents", limit=200).json()["items"]
    assert pages(owning, "/agents", limit=7) == agents
    assert len(pages(owning, "/endpoints", limit=1)) == len(owning.get("/endpoints").json()["items"])


def test_the_ledger_is_paged_and_its_totals_cover_every_page(owning, launch):
    run = launch("gpt-5").runs.get()
    for step, state in enumerate(("replied", "replied", "failed", "lost", "replied")):
        cost = {"replied": 20_000_000, "lost": 400_000_000}.get(state, 0)
        call = {"period_index": 0, "seat": "seat_0", "attempt": 0, "step": step, "fence": 1, "state": state}
        Exchange.objects.create(run=run, agent=run.agent, cost_nano=cost, **call)
    path = f"/experiments/{run.experiment_id}/ledger"
    assert [row["step"] for row in pages(owning, path, limit=2)] == [4, 3, 2, 1, 0]
    answer = owning.get(path, state="waste").json()
    assert [row["outcome"] for row in answer["items"]] == ["lost"]
    assert answer["totals"]["calls"] == {"replied": 3, "failed": 1, "lost": 1}
    assert (answer["totals"]["booked_usd"], answer["totals"]["waste_usd"]) == (0.46, 0.4)


def test_an_invalid_cursor_gets_a_sentence(owning):
    for cursor in ("", "1", "abc", "5.made-up", "9" * 300, "1.2.3", "é"):
        response = owning.get("/experiments", cursor=cursor)
        assert response.status_code == 422, cursor
        assert response.json()["error"]["fields"]["cursor"].startswith("This is not a cursor of this list"), cursor


def test_a_cursor_belongs_to_its_list_filters_and_organization(owning, program, other, launch):
    for _ in range(3):
        launch("random")
    cursor = owning.get("/experiments", limit=1).json()["next_cursor"]
    assert owning.get("/experiments", limit=2, cursor=cursor).status_code == 200
    assert owning.get("/runs", cursor=cursor).status_code == 422
    assert owning.get("/experiments", cursor=cursor, state="active").status_code == 422
    assert program(other).get("/experiments", cursor=cursor).status_code == 422


def test_a_page_has_between_1_and_200_rows(owning):
    for limit in ("0", "-1", "201", "1000000000", "9" * 400, "1e3", "ten", ""):
        assert owning.get("/experiments", limit=limit).status_code == 422, limit
