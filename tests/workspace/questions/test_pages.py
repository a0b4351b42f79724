"""Pages of questions: who may ask and read, the estimate before, deletion after, and the search without a model."""

import json

import pytest

from accounts.deletions import kinds
from accounts.models import AuditEntry
from accounts.services.deletions import row_erase
from accounts.services.organizations import member_remove
from runs.models import Agent, Experiment
from runs.services.deletions import experiment_delete, experiment_undelete
from tests.questions import question_of
from tests.stub_provider import StubProvider
from tests.workspace.questions.conftest import honest
from workspace.questions.models import Question


def form(runs, agent="", **changes):
    values = {
        "text": "Where does it lower prices?",
        "runs": ",".join(str(run.pk) for run in runs),
        "sources": ["notes"],
    }
    return values | {"agent": agent, "budget": "5.00"} | changes


def seen_in(text):
    return text.split('name="seen" value="')[1].split('"')[0]


@pytest.fixture
def reader(model_agent):
    """An agent whose model answers, and its stub."""
    with StubProvider(honest) as stub:
        yield model_agent(stub, input_price=2, output_price=10, max_tokens=1000), stub


def test_an_editor_asks_after_the_estimate_of_the_same_values(page, runs, reader, worked):
    agent, stub = reader
    values = form(runs, agent.pk)
    text = page.get("/questions/new/", values).text
    assert "It reads 6 periods of 2 runs in about 3 queries." in text and "characters a token" in text
    assert "Ask for at most $5.00" in text and stub.count == 0
    refused = page.post("/questions/new/", values | {"seen": "another"})
    assert refused.status_code == 422 and "Look at what it would read and cost" in refused.text
    changed = page.post("/questions/new/", form(runs[:1], agent.pk, seen=seen_in(text)))
    assert changed.status_code == 422 and not Question.objects.exists()
    done = page.post("/questions/new/", values | {"seen": seen_in(text)})
    question = Question.objects.get()
    assert done.url == f"/questions/{question.pk}/"
    assert "Waiting" in page.get(done.url).text and "of at most $5.00" in page.get(done.url).text
    worked()
    assert page.get(f"{done.url}live/").headers["HX-Refresh"] == "true"
    entry = AuditEntry.objects.get(action="question.asked")
    assert entry.subject.startswith("2 runs, house openai: Where does it lower prices?")


def test_the_estimate_contains_what_was_really_read(page, runs, reader, ask, worked):
    from workspace.questions.estimating import question_estimate

    agent, stub = reader
    sources = ["notes", "actions", "reasoning"]
    estimate = question_estimate(runs, sources, agent)
    ask(stub, sources=sources)
    worked()
    sent = sum(len(body["messages"][-1]["content"]) for body in stub.bodies[:2])
    assert estimate.queries == stub.count and 0.5 * sent < estimate.characters < 1.2 * sent
    assert estimate.cost_nano[0] < estimate.cost_nano[1] < estimate.cost_nano[2]


@pytest.mark.parametrize(
    ("query", "chosen"),
    [("run={0}&run={1}", "{0}-{1}"), ("experiment={2}", "{0}-{1}"), ("player=random", "{0}-{1}"), ("", "")],
)
def test_the_form_starts_with_the_runs_that_the_address_names(page, runs, query, chosen):
    numbers = (runs[0].pk, runs[1].pk, runs[0].experiment_id)
    text = page.get(f"/questions/new/?{query.format(*numbers)}").text
    box = text.split('name="runs"')[1].split(">")[0]
    assert (f'value="{chosen.format(*numbers)}"' in box) if chosen else "value=" not in box


@pytest.mark.parametrize(
    "query", ["run=x&run=-1", "experiment=x", "experiment=99999999999", "runs=5-1", "agent=x", "player=%00"]
)
def test_hostile_addresses_are_answered_with_the_form(page, runs, query):
    assert page.get(f"/questions/new/?{query}").status_code == 200


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [("abc", "Write numbers of runs"), ("999999", "has the number 999999"), ("1-60", "Choose at most 50 runs")],
)
def test_wrong_runs_get_a_sentence_beside_the_field(page, runs, typed, sentence):
    assert sentence in page.get("/questions/new/", form(runs) | {"runs": typed}).text


def test_ticked_runs_and_menus_lead_to_the_form(page, runs):
    ticked = page.post("/runs/selected/", {"action": "ask", "run": [run.pk for run in runs]})
    assert ticked.url == f"/questions/new/?run={runs[0].pk}&run={runs[1].pk}"
    assert 'value="ask"' in page.get("/runs/").text
    assert (
        f"/questions/new/?experiment={runs[0].experiment_id}" in page.get(f"/experiments/{runs[0].experiment_id}/").text
    )
    assert "/questions/new/?player=random" in page.get("/agents/random/").text
    assert 'href="/questions/"' in page.get("/notes/").text


def test_viewers_read_and_do_not_ask(viewer, stranger, runs):
    question = question_of(runs[0])
    assert viewer.get(f"/questions/{question.pk}/").status_code == 200
    assert "Ask a question" not in viewer.get("/questions/").text and viewer.get("/questions/new/").status_code == 403
    for address in ("", "live/", "answer.csv", "answer.json"):
        assert stranger.get(f"/questions/{question.pk}/{address}").status_code == 404
    assert "Is there a word?" not in stranger.get("/questions/").text


def test_without_a_model_the_notes_are_searched_by_likeness(ask, worked, page, runs):
    runs[1].notes.filter(period_index=2).update(text="Undercutting the rival starts a war.\n\nNothing else.")
    ask(text="Does it begin an undercutting war with the rival?")
    question = worked()
    assert (question.state, question.problem) == ("done", "")
    text = page.get(f"/questions/{question.pk}/").text
    assert "No model answered." in text and "Answered by" not in text
    first = question.result["findings"][0]["quotes"][0]
    assert (first["run"], first["period"], first["text"]) == (runs[1].pk, 2, "Undercutting the rival starts a war.")


def test_a_failed_question_resumes_with_another_budget(page, runs):
    question = question_of(runs[0], state="failed", problem="The budget is spent.", result=None)
    assert 'name="budget"' in page.get(f"/questions/{question.pk}/").text
    page.post(f"/questions/{question.pk}/resume/", {"budget": "abc"})
    assert Question.objects.get().state == "failed"
    page.post(f"/questions/{question.pk}/resume/", {"budget": "3.50"})
    question.refresh_from_db()
    assert (question.state, question.budget_nano) == ("waiting", 3_500_000_000)


def test_a_search_without_notes_fails_with_a_sentence(ask, worked, runs):
    for run in runs:
        run.notes.all().delete()
    ask()
    assert worked().problem == "None of these runs has notes to search."


def test_a_deleted_run_is_quoted_nowhere_until_the_undo(ask, worked, page, played, alice, runs):
    other = played("random", periods=1, seeds=(2,)).runs.get()
    other.notes.create(period_index=0, seat="seat_0", order=9, text="Zanzibar")
    with StubProvider(honest) as stub:
        ask(stub, of=[runs[0], other])
        question = worked()
    everywhere = [f"/questions/{question.pk}/{part}" for part in ("", "answer.csv", "answer.json")]
    assert all("Everywhere" in page.get(address).text for address in (everywhere[0], everywhere[2]))
    experiment_delete(experiment=other.experiment, actor=alice)
    for address in everywhere:
        text = page.get(address).text
        assert "Everywhere" not in text and "All runs lower prices" not in text
    assert "1 run was deleted since" in page.get(everywhere[0]).text
    experiment_undelete(experiment=Experiment.with_deleted.get(pk=other.experiment_id), actor=alice)
    assert "Everywhere" in page.get(everywhere[0]).text


def test_a_run_that_is_removed_for_good_takes_its_quotes_with_it(ask, worked, played, alice, runs):
    other = played("random", periods=1, seeds=(2,)).runs.get()
    with StubProvider(honest) as stub:
        ask(stub, of=[runs[0], other], sources=("actions",))
        question = worked()
    for experiment in (other.experiment, runs[0].experiment):
        experiment_delete(experiment=experiment, actor=alice)
        row_erase(kind=kinds["experiment"], row=Experiment.with_deleted.get(pk=experiment.pk), actor=alice)
        if experiment == other.experiment:
            left = Question.objects.get()
            stored = json.dumps([left.result, left.merged, [part.answer for part in left.parts.all()]])
            assert f'"run": {other.pk}' not in stored and left.result["answer"] == ""
    assert not Question.objects.filter(pk=question.pk).exists()


def test_the_answer_of_a_question_outlives_its_agent(ask, worked, page):
    with StubProvider(honest) as stub:
        ask(stub)
        question = worked()
    Agent.objects.filter(name="house openai").delete()
    assert "Answered by house openai" in page.get(f"/questions/{question.pk}/").text


def test_questions_of_a_former_member_are_cancelled(ask, owner, join, organization):
    member = join("edda", "editor")
    ask()
    Question.objects.update(created_by=member.user)
    member_remove(actor=owner, membership=member)
    assert Question.objects.get().state == "cancelled"


def test_answers_change_no_score_and_are_in_no_export_of_runs(ask, worked, page, runs):
    addresses = ("/leaderboard/table.csv?periods=3", f"/api/v1/runs/{runs[0].pk}")
    before = [page.get(address).content for address in addresses]
    with StubProvider(honest) as stub:
        ask(stub)
        worked()
    assert [page.get(address).content for address in addresses] == before
    ticked = page.post("/runs/selected/", {"action": "export", "run": [runs[0].pk]})
    content = b"".join(ticked.streaming_content) if ticked.streaming else ticked.content
    assert b"Everywhere" not in content and b"All runs lower prices" not in content


def test_files_have_the_quotes_and_the_marks_of_a_model(page, runs):
    question = question_of(runs[0], text="=1+1?")
    csv = page.get(f"/questions/{question.pk}/answer.csv").text
    assert "finding,claim,run,period,source,quote" in csv and "A word is there." in csv
    answer = page.get(f"/questions/{question.pk}/answer.json").json()
    assert answer["is_by_model"] and answer["agent"] == "house" and answer["result"]["findings"][0]["quotes"]


def test_pages_need_a_constant_number_of_queries(page, runs, django_assert_max_num_queries):
    for _ in range(12):
        question = question_of(runs[0])
    with django_assert_max_num_queries(14):
        page.get("/questions/")
    with django_assert_max_num_queries(18):
        page.get(f"/questions/{question.pk}/")
