"""Money: no answer is paid for twice, every budget holds, and every end of a question leaves its books right."""

import threading
from dataclasses import replace

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from infrastructure.claims import ClaimLost
from runs.models import JobCall, MonthlySpend
from runs.services import job_queries
from runs.services.budgets import organization_set_budget
from runs.services.job_calls import LOST_AFTER, job_calls_close
from tests.stub_provider import StubAnswer, StubProvider
from tests.workspace.questions.conftest import COST, answered, honest
from workspace.questions import work
from workspace.questions.models import Question, claims
from workspace.questions.services import question_cancel, question_resume


def month():
    return MonthlySpend.objects.values_list("cost_nano", "reserved_nano").get(user=None)


def states():
    return list(JobCall.objects.order_by("id").values_list("state", flat=True))


def taken_over():
    """The claim of a killed worker expires."""
    Question.objects.update(claim_until=None)
    claims.held.clear()


def test_a_worker_that_dies_between_payment_and_storage_pays_once_more_for_this_call_only(ask, worked, monkeypatch):
    def dies(*_):
        raise ClaimLost

    stored = job_queries.settle_and_store

    def dies_at_the_second(wire, body, headers):
        if stub.count == 1:
            monkeypatch.setattr(work, "settle_and_store", dies)
        return honest(wire, body, headers)

    with StubProvider(dies_at_the_second) as stub:
        ask(stub)
        assert worked().state == "waiting" and stub.count == 2
        monkeypatch.setattr(work, "settle_and_store", stored)
        taken_over()
        assert worked().state == "done"
        # Part 1, part 2 twice, and the query that joins them.
        assert stub.count == 4
        assert (
            stub.bodies[1]["messages"][-1]["content"].splitlines()[3:-3]
            == stub.bodies[2]["messages"][-1]["content"].splitlines()[3:-3]
        )
    lost = JobCall.objects.get(state="sent")
    assert month() == (3 * COST, lost.most_nano)
    JobCall.objects.filter(pk=lost.pk).update(created_at=timezone.now() - LOST_AFTER)
    job_calls_close()
    assert month() == (3 * COST + lost.most_nano, 0)


def test_an_answer_is_stored_in_the_transaction_that_books_it(ask, worked, monkeypatch):
    def fails(**_):
        raise RuntimeError("killed")

    with StubProvider(honest) as stub:
        ask(stub)
        monkeypatch.setattr(job_queries, "job_call_settle", fails)
        assert worked().state == "failed"
        assert Question.objects.get().parts.filter(answer=None).count() == 2 and month()[0] == 0
        monkeypatch.undo()
        assert stub.count == 1


def test_the_budget_of_the_question_stops_it_before_a_call_that_could_exceed_it(ask, worked, page, monkeypatch):
    sent = work.agent_query

    def costs_all_but_one(payer, agent, llm, request, still_wanted):
        """The budget is the maximum of this call, so the first fits and the second does not."""
        return sent(replace(payer, budget_nano=agent.most_nano(request)), agent, llm, request, still_wanted)

    with StubProvider(honest) as stub:
        ask(stub)
        monkeypatch.setattr(work, "agent_query", costs_all_but_one)
        failed = worked()
        assert (failed.state, stub.count) == ("failed", 1)
        assert "and the next call may cost up to" in failed.problem
        assert month() == (COST, 0)
        monkeypatch.setattr(work, "agent_query", sent)
        assert failed.problem.split(",")[0] in page.get(f"/questions/{failed.pk}/").text
        page.post(f"/questions/{failed.pk}/resume/")
        assert worked().state == "done" and stub.count == 3


def test_the_budget_of_the_organization_stops_a_question(ask, worked, organization):
    with StubProvider(honest) as stub:
        ask(stub)
        organization_set_budget(organization=organization, budget_nano=1000)
        question = worked()
        assert (question.state, stub.count) == ("failed", 0) and "has spent" in question.problem


def test_usage_beyond_the_declared_maximum_ends_the_question(ask, worked):
    usage = {"prompt_tokens": 10**8, "completion_tokens": 10**8, "total_tokens": 2 * 10**8}
    with StubProvider(lambda *_: StubAnswer(text='{"findings": []}', usage=usage)) as stub:
        ask(stub)
        question = worked()
        assert (question.state, stub.count) == ("failed", 1) and "budget of $5.00" in question.problem


@pytest.mark.parametrize("status", [400, 401, 402, 403, 404])
def test_a_refusal_fails_the_question_at_once_and_costs_nothing(ask, worked, status):
    with StubProvider(lambda *_: StubAnswer(status=status, error="No.")) as stub:
        ask(stub)
        assert worked().state == "failed"
        assert month() == (0, 0) and set(states()) == {"failed"}
        assert stub.count <= 3


@pytest.mark.parametrize("first", [StubAnswer(status=429, error="slow"), StubAnswer(status=500, error="oops")])
def test_a_temporary_error_is_tried_again(ask, worked, first):
    with StubProvider(lambda *words: first if stub.count == 0 else honest(*words)) as stub:
        ask(stub)
        assert worked().state == "done" and stub.count == 4


def test_a_question_ends_after_three_answers_that_may_each_be_billed(ask, worked):
    endless = StubAnswer(raw=b'{"choices": "' + b"x" * 3_000_000)
    with StubProvider(lambda *_: endless) as stub:
        ask(stub)
        assert worked().state == "failed" and stub.count == 3
    assert month() == (sum(JobCall.objects.values_list("most_nano", flat=True)), 0) and set(states()) == {"unknown"}


def test_a_cancelled_question_sends_nothing_more_and_keeps_its_books(ask, worked, page):
    with StubProvider(honest) as stub:
        question = ask(stub)
        question_cancel(question=question)
        assert worked().state == "cancelled" and stub.count == 0
        assert not question_cancel(question=question) and not question_resume(question=question)
    assert "The question was cancelled." in page.get(f"/questions/{question.pk}/").text


def test_an_answer_that_comes_after_the_cancellation_is_booked_and_not_stored(ask, worked, monkeypatch):
    sent = work.agent_query

    def cancelled_meanwhile(*arguments):
        answer = sent(*arguments)
        question_cancel(question=Question.objects.get())
        return answer

    monkeypatch.setattr(work, "agent_query", cancelled_meanwhile)
    with StubProvider(honest) as stub:
        ask(stub)
        question = worked()
        assert (question.state, stub.count) == ("cancelled", 1)
    assert month() == (COST, 0) and not question.parts.exclude(answer=None).exists()


@pytest.mark.django_db(transaction=True)
@pytest.mark.long
def test_two_workers_do_not_answer_one_question_twice(ask):
    with StubProvider(honest) as stub:
        ask(stub)
        workers = [threading.Thread(target=work.ANSWERS.run) for _ in range(2)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        assert Question.objects.get().state == "done" and stub.count == 3


def test_a_worker_whose_claim_was_taken_over_stores_nothing(ask, worked, monkeypatch):
    sent = work.agent_query

    def taken_meanwhile(*arguments):
        answer = sent(*arguments)
        monkeypatch.setattr(work, "agent_query", sent)
        taken_over()
        assert worked().state == "done"
        return answer

    monkeypatch.setattr(work, "agent_query", taken_meanwhile)
    with StubProvider(honest) as stub:
        ask(stub)
        claim = claims.claim_next()
        work.ANSWERS.work(claim)
        # The zombie's answer is booked too, since it was paid for.
        assert stub.count == 4 and month() == (4 * COST, 0)
    assert Question.objects.get().state == "done"


@pytest.mark.parametrize(
    ("changes", "field", "sentence"),
    [
        ({"budget": None}, "budget", "Set a budget"),
        ({"budget": 0.001}, "budget", "One call may cost up to"),
        ({"input_price": None}, "budget", "No price is known for house openai"),
        ({"text": " ?"}, "text", "Write a question."),
        ({"text": "x" * 1001}, "text", "at most 1,000 characters"),
        ({"sources": ()}, "sources", "Choose what is read."),
        ({"sources": ("hidden",)}, "sources", "Choose what is read."),
    ],
)
def test_a_wrong_field_gets_a_sentence_and_nothing_is_asked(ask, changes, field, sentence):
    with StubProvider(lambda *_: answered("")) as stub, pytest.raises(ValidationError) as error:
        ask(stub, **changes)
    assert sentence in error.value.message_dict[field][0] and not Question.objects.exists()
