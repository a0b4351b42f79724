"""The search and analyses by command and by API, and the query counts of their pages."""

import io
import json
from contextlib import redirect_stdout

import pytest
from django.core.management import call_command

from api.services import personal_token_create
from tests.api.conftest import EVERYTHING, Program
from tests.queries import SIGNED_IN, queries_of

NOTES = ["Alpha drift of the price.\n\nBeta trend of demand.", "Gamma cycle of sales.\n\nDelta peak of profit."] * 4


@pytest.fixture
def program(owner):
    from datetime import timedelta

    from django.utils import timezone

    expires = timezone.now() + timedelta(days=9)
    return Program(personal_token_create(actor=owner, name="t", scopes=EVERYTHING, expires_at=expires)[1])


@pytest.fixture(autouse=True)
def _default_organization(organization, monkeypatch):
    monkeypatch.setattr("api.management.filters.default_organization", lambda: organization)


def printed(*words):
    with redirect_stdout(out := io.StringIO()):
        call_command(*words, stdout=out)
    return out.getvalue()


@pytest.mark.long
def test_the_api_pages_search_results_and_refuses_wrong_queries(program, run_with, indexed, other):
    run = run_with(NOTES)
    indexed()
    first = program.get("/search", q="drift", limit=3).json()
    rest = program.get("/search", q="drift", limit=3, cursor=first["next_cursor"]).json()
    assert [hit["period"] for hit in first["items"] + rest["items"]] == [6, 4, 2, 0]
    hit = first["items"][0]
    assert (hit["run"], hit["kind"], hit["agent"], hit["url"]) == (
        run.pk,
        "note",
        "House",
        f"/runs/{run.pk}/periods/6/?tab=notes",
    )
    assert hit["snippet"].startswith("Alpha drift")
    for wrong in ({"q": "***"}, {"q": ""}, {}, {"q": "x", "kind": "prompt"}, {"q": "x", "words": "y"}):
        assert program.get("/search", **wrong).status_code == 422, wrong
    assert (
        program.get("/search", q="x", run=10**6).status_code
        == program.get("/search", q="x", agent="nobody").status_code
        == 404
    )


@pytest.mark.long
def test_an_analysis_is_started_watched_and_deleted_by_api(program, run_with, computed):
    run_with(NOTES, agent="one")
    run_with(NOTES, agent="two")
    body = {"environment": "pricing", "agents": ["one", "two"], "start": "2020-01-01", "balanced": True}
    assert program.post("/notes-analyses/estimate", body).json()["paragraphs"] == 32
    made = program.post("/notes-analyses", body, Idempotency_Key="k").json()
    assert made == program.post("/notes-analyses", body, Idempotency_Key="k").json() and made["state"] == "waiting"
    computed()
    found = program.get(f"/notes-analyses/{made['id']}").json()
    assert found["is_done"] and found["result"]["paragraphs"] == 32
    assert program.get("/notes-analyses").json()["items"][0]["id"] == made["id"]
    for wrong in (
        {"environment": "chess"},
        {**body, "end": "2019-01-01"},
        {**body, "endpoint": 10**6},
        {"environment": "scheduling"},
    ):
        assert program.post("/notes-analyses", wrong).status_code == 422, wrong
    assert program.send("DELETE", f"/notes-analyses/{made['id']}").status_code == 204


@pytest.mark.long
def test_the_commands_print_hits_and_clusters(run_with, indexed):
    run = run_with(NOTES)
    indexed()
    lines = printed("search", "alpha drift").splitlines()
    assert lines[0] == f"run {run.pk}, period 0, note of House: Alpha drift of the price. Beta trend of demand."
    assert lines[-1] == "4 hits."
    assert len(json.loads(printed("search", "drift", "--json"))["hits"]) == 4
    text = printed("notes", "pricing")
    assert "It reads 1 run with 8 notes, 16 paragraphs." in text and "100 % of 4: " in text
    assert json.loads(printed("notes", "pricing", "--json"))["result"]["paragraphs"] == 16
    with pytest.raises(SystemExit):
        call_command("notes", "scheduling")
    with pytest.raises(SystemExit):
        call_command("search", "***")


@pytest.mark.long
def test_query_counts_of_pages_do_not_grow_with_the_data(page, run_with, indexed, computed):
    counts = []
    for seed in range(2):
        for agent in ("one", "two", "three")[: 1 + 2 * seed]:
            run_with(NOTES, agent=f"{agent}{seed}", seed=seed)
        indexed()
        page.post("/notes/new/", {"environment": "pricing", "seen": "environment=pricing"})
        analysis = computed()
        pages = (
            "/search/?q=drift",
            "/notes/",
            "/notes/new/",
            f"/notes/{analysis.pk}/",
            f"/notes/{analysis.pk}/figure.json",
        )
        counts.append([queries_of(page, address) for address in pages])
    assert counts[0] == counts[1] == [SIGNED_IN + 9, SIGNED_IN + 2, SIGNED_IN + 8, SIGNED_IN + 4, SIGNED_IN + 1]
