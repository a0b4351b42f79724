"""The search covers notes and transcripts on both databases, and only those of the own organization."""

import re

import pytest
from django.db import connection
from django.db.models import F

from analysis.notes.models import EntryKind, IndexedRun, SearchEntry
from analysis.notes.search.indexing import INDEX, has_work, index_for
from analysis.notes.search.selectors import SearchFilter, index_state, search
from analysis.notes.search.words import parse_query, pattern_of, reply_text, snippet
from runs.models import Exchange, Note
from runs.services.deletions import experiment_delete

REPLY = {
    "text": "I raise the price because of the café effect.",
    "calls": [
        {"id": "1", "name": "write_notes", "arguments": {"notes": "secret plan"}, "raw": ""},
        {"id": "2", "name": "set_prices", "arguments": {"prices": {"Product_1": 12.5}}, "raw": ""},
        {"id": "3", "name": "set_prices", "arguments": None, "raw": "brokenjson {"},
    ],
}


@pytest.fixture
def hits(organization, indexed):
    """(period, kind, marked words) of the hits."""

    def find(typed, **filters):
        indexed()
        found = search(organization=organization, search_filter=SearchFilter(typed, **filters))
        return found and [
            (hit.period, hit.kind, [piece for piece, marked in hit.pieces if marked]) for hit in found.page.object_list
        ]

    return find


def test_the_search_ignores_case_and_accents_of_words_phrases_and_prefixes(run_with, hits):
    run_with(["Drift of DEMAND seen.\n\nW1 prefers T10 > T4", "no change", "Cafe drifts upwards"], [REPLY])
    assert hits("drift") == [(0, "note", ["Drift"])]
    assert hits("drift*") == [(0, "note", ["Drift"]), (2, "note", ["drifts"])]
    assert hits("demand drift") == [(0, "note", ["Drift", "DEMAND"])]
    assert hits('"demand drift"') == []
    assert hits('"drift of demand"') == [(0, "note", ["Drift of DEMAND"])]
    assert hits("T10>T4") == [(0, "note", ["T10 > T4"])]
    assert {found[:2] for found in hits("café")} == {(2, "note"), (0, "reply")}
    assert {found[:2] for found in hits("CAFE", kind=EntryKind.REPLY)} == {(0, "reply")}


def test_the_search_covers_text_and_arguments_of_transcripts_and_each_note_once(run_with, hits):
    run_with(["secret plan"], [REPLY])
    assert hits("12.5") == [(0, "reply", ["12.5"])] and hits("product_1 12") == [(0, "reply", ["Product_1", "12"])]
    assert hits("brokenjson")[0][:2] == (0, "reply")
    assert hits("secret plan") == [(0, "note", ["secret", "plan"])]
    assert reply_text(None, "") == reply_text({"text": None, "calls": None}, "") == ""


def test_the_search_covers_the_first_20_000_characters_of_thinking(run_with, hits, page):
    run = run_with([], [REPLY | {"thinking": "<b>Elasticity</b> near 2. " + "\x00 " * 10_000 + " beyond"}])
    assert hits("elasticity") == [(0, "think", ["Elasticity"])]
    assert hits("elasticity", kind=EntryKind.REPLY) == hits("beyond") == []
    text = page.get("/search/?q=elasticity&kind=think").text
    assert f"/runs/{run.pk}/periods/0/?tab=transcript" in text and "&lt;b&gt;<mark>Elasticity</mark>" in text
    experiment_delete(experiment=run.experiment)
    assert hits("elasticity") == []
    run.experiment.delete()
    assert not SearchEntry.objects.exists()


def test_filters_narrow_by_run_agent_and_environment(run_with, hits, organization):
    first = run_with(["alpha", "beta", "alpha"])
    other = run_with(["alpha"], agent="rival", environment="scheduling")
    assert len(hits("alpha")) == 3
    assert [found[0] for found in hits("alpha", run=first.pk)] == [0, 2]
    assert len(hits("alpha", agent=other.agent_id)) == len(hits("alpha", environment="scheduling")) == 1
    assert hits("alpha", agent=other.agent_id, environment="pricing") == []


@pytest.mark.sampled
@pytest.mark.parametrize(
    "typed",
    ['"', '"""', "a OR", "NEAR(a b)", "-price", "words:price", "price)", "' OR 1=1 --", "*", "price*", "a:* & !b", "\x00",
     "the and of", "x" * 10_000, "w " * 5_000, " ".join(map(str, range(5_000))), "日本語 ½ Ⅳ ﬁ", "\ud800", "\\", "€ & |",
     '"price" "', "^price", "{price}"],
)  # fmt: skip
def test_hostile_queries_get_hits_or_a_sentence(typed, run_with, indexed, page):
    run_with(["The price and the of words", "日本語 ½ Ⅳ ﬁ"])
    indexed()
    response = page.get("/search/", {"q": typed.encode("utf-8", "replace").decode()})
    assert response.status_code == 200
    assert any(words in response.text for words in ("hit", "No hits", "Type a word"))


def test_a_shortened_query_states_what_was_left_out():
    assert "first 500 characters" in parse_query("x " * 400).note
    assert "first 20 different words" in parse_query(" ".join(f"w{number}" for number in range(30))).note
    assert parse_query('"" * - !').terms == ()
    short = parse_query("w* drift*")
    assert [term.is_prefix for term in short.terms] == [False, True] and "A star needs 3 letters" in short.note


def test_a_snippet_shows_the_first_match_of_a_long_text():
    text = "filler words " * 500 + "the Drift, at last" + " and more" * 100
    pieces = snippet(text, pattern_of(parse_query("drift")))
    assert pieces[0] == ("… ", False) and ("Drift", True) in pieces and pieces[-1][0].endswith(" …")
    assert sum(len(piece) for piece, _ in pieces) < 300
    assert snippet("nothing here", pattern_of(parse_query("drift"))) == [("nothing here", False)]


def test_hits_of_a_run_stand_under_one_heading(run_with, indexed, page):
    runs = [run_with(["drift up", "quiet", "drift down"], seed=seed) for seed in (0, 1)]
    indexed()
    lines = re.findall(
        r'href="/runs/(\d+)/(?:periods/(\d)/)?', page.get("/search/?q=drift").text.partition("<h2>Hits")[2]
    )
    assert lines == [(str(run.pk), period) for run in reversed(runs) for period in ("", "0", "2")]


@pytest.mark.long
def test_the_search_returns_only_texts_of_the_own_organization(run_with, indexed, page, stranger, other):
    ours = run_with(["canaryword here"])
    theirs = run_with(["canaryword there"], organization=other.organization)
    indexed()
    mine, foreign = page.get("/search/?q=canaryword").text, stranger.get("/search/?q=canaryword").text
    assert f"/runs/{ours.pk}/" in mine and f"/runs/{theirs.pk}/" not in mine
    assert f"/runs/{theirs.pk}/" in foreign and f"/runs/{ours.pk}/" not in foreign
    assert stranger.get(f"/search/?q=canaryword&run={ours.pk}").status_code == 404
    assert f"/runs/{ours.pk}/" not in stranger.get(f"/search/?q=canaryword&agent={ours.agent_id}").text


def test_deleting_an_experiment_deletes_its_search_entries(run_with, hits, indexed):
    run = run_with(["ephemeral words"], [REPLY])
    assert len(hits("ephemeral")) == 1
    experiment_delete(experiment=run.experiment)
    assert hits("ephemeral") == []
    run.experiment.delete()
    assert not SearchEntry.objects.exists() and not IndexedRun.objects.exists()
    assert hits("ephemeral") == []
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT rowid FROM {INDEX} WHERE {INDEX} MATCH 'ephemeral'")
            assert cursor.fetchall() == []


def test_a_continued_run_is_indexed_again_without_duplicates(run_with, hits):
    run = run_with(["one"], state="running", periods=3)
    assert len(hits("one")) == 1
    Note.objects.create(run=run, period_index=1, seat="seat_0", order=0, text="one more")
    type(run).objects.filter(pk=run.pk).update(periods_played=2)
    assert len(hits("one")) == 2
    # It stops in the middle of a period, and goes on later.
    stopped = {"run": run, "period_index": 2, "seat": "seat_0", "attempt": 0, "fence": 1, "state": "replied"}
    Exchange.objects.create(**stopped, step=0, reply={"text": "one thought", "calls": []})
    type(run).objects.filter(pk=run.pk).update(state="paused", queries=1)
    assert [found[1] for found in hits("one")] == ["note", "note", "reply"]
    Exchange.objects.create(**stopped, step=1, reply={"text": "one decision", "calls": []})
    type(run).objects.filter(pk=run.pk).update(state="finished", queries=2, periods_played=3)
    assert [found[1] for found in hits("one")] == ["note", "note", "reply", "reply"]
    assert IndexedRun.objects.get(pk=run.pk).is_whole


def test_a_run_that_advances_during_indexing_is_left_to_the_next_sweep(run_with):
    run = run_with(["one"], state="running", periods=10_000)

    def play_on(execute, sql, *rest):
        if sql.startswith('UPDATE "notes_indexedrun"'):
            type(run).objects.filter(pk=run.pk).update(periods_played=F("periods_played") + 1)
        return execute(sql, *rest)

    with connection.execute_wrapper(play_on):
        assert not index_for(1)
    assert IndexedRun.objects.get(pk=run.pk).periods == 1 and has_work()
    assert not index_for(1) and not has_work()


def test_the_page_states_the_progress_of_the_index(run_with, organization, page, indexed):
    run_with(["something"])
    run_with(["something"], seed=1)
    assert index_state(organization=organization).startswith("2 runs are not in the index yet")
    assert "2 runs are not in the index yet" in page.get("/search/").text
    indexed()
    assert index_state(organization=organization) == ""
    assert "not in the index" not in page.get("/search/").text


def test_long_runs_are_indexed_in_pieces(run_with, hits):
    run_with([f"period{number} word" for number in range(70)], [REPLY] * 70)
    assert len(hits("period69")) == 1
    assert SearchEntry.objects.count() == 140


@pytest.mark.long
def test_the_newest_thousand_hits_are_paged(run_with, indexed, organization, page):
    run_with(["often"] * 1100)
    indexed()
    found = search(organization=organization, search_filter=SearchFilter("often"), page=2)
    assert found.page.paginator.count == 1000 and "More than 1,000" in found.sentence
    assert found.page.object_list[0].period == 125
    text = page.get("/search/?q=often&page=2").text
    assert "26–50 of 1,000" in text


def test_the_search_covers_runs_of_the_engine(played, hits, model_agent, organization):
    from tests.scripted_player import ScriptedPlayer
    from tests.stub_provider import StubProvider

    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub)
        experiment = played(agent.slug, periods=2)
    run = experiment.runs.get()
    written = Note.objects.filter(run=run).first()
    word = written.text.split()[0].strip(".,:")
    assert any(found[:2] == (written.period_index, "note") for found in hits(word))
