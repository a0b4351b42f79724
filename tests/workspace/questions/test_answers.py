"""Answers of a model: quotes are checked, parts are joined, and hostile answers are refused."""

import json

import pytest

from agents.llm import Reply
from runs.models import JobCall, MonthlySpend
from tests.stub_provider import StubAnswer, StubProvider
from tests.workspace.questions.conftest import COST, answered, honest, quote_of, rows_in
from workspace.questions.asking import PartAnswerIn, UnusableAnswer, checked_part, read_answer
from workspace.questions.models import Question
from workspace.questions.selectors import limits_of
from workspace.questions.texts import Text

TEXT = Text(7, 3, "GPT", "notes", "I lower\n  the price\tnow, although profit falls.")


def test_a_model_answers_with_quotes_that_link_to_their_periods(ask, worked, page, runs):
    with StubProvider(honest) as stub:
        ask(stub)
        question = worked()
        assert (question.state, question.problem) == ("done", "")
        # A query for each run, and one that joins their answers.
        assert stub.count == 3 and all("tools" not in body for body in stub.bodies)
    text = page.get(f"/questions/{question.pk}/").text
    assert "Everywhere." in text and "All runs lower prices." in text
    for run in runs:
        assert f'href="/runs/{run.pk}/periods/0/?tab=notes"' in text
    assert "Answered by house openai" in text and "not part of any score" in text
    assert MonthlySpend.objects.get(user=None).cost_nano == 3 * COST


def test_one_run_needs_no_query_that_joins_answers(ask, worked, runs):
    with StubProvider(honest) as stub:
        ask(stub, of=runs[:1])
        assert worked().result["answer"] == "Here." and stub.count == 1


def test_quotes_that_are_not_in_the_transcript_are_dropped_and_counted(ask, worked, page, runs):
    def inventive(wire, body, headers):
        row = rows_in(body)[0]
        quotes = [
            quote_of(row, text=" ".join(row["text"].split())),
            quote_of(row, text="I collude with my rival."),
            quote_of(row, period=row["period"] + 1),
            quote_of(row, run=runs[1].pk),
            quote_of(row, text=" .\n"),
        ]
        invented = {"claim": "Invented.", "quotes": [quote_of(row, text="never written")]}
        return answered({"answer": "", "findings": [{"claim": "Lowers.", "quotes": quotes}, invented]})

    with StubProvider(inventive) as stub:
        ask(stub, of=runs[:1])
        question = worked()
    assert [len(finding["quotes"]) for finding in question.result["findings"]] == [1]
    sentence = "5 of 6 quotes were not in the transcript and are not shown."
    assert sentence in limits_of(question, question.result)
    text = page.get(f"/questions/{question.pk}/").text
    assert sentence in text and "collude" not in text and "Invented" not in text


@pytest.mark.parametrize(
    ("quote", "kept"),
    [
        ("I lower the price now", True),
        ("lower \n\n the   price", True),
        ("I LOWER the price", False),
        ("I lower the price … although profit falls", False),
        ("", False),
        ("  ", False),
    ],
)
def test_a_quote_may_differ_from_its_text_in_white_space_only(quote, kept):
    answer = PartAnswerIn(findings=[{"claim": "x", "quotes": [quote_of(TEXT.as_row(), text=quote)]}])
    assert bool(checked_part(answer, [TEXT])["findings"]) == kept


def test_the_query_that_joins_answers_cannot_invent_a_quote(ask, worked):
    def inventive(wire, body, headers):
        if "claim" not in rows_in(body)[0]:
            return honest(wire, body, headers)
        return answered({"answer": "All.", "findings": [{"claim": "Both.", "quotes": [2, 99, 0, -1, 2]}]})

    with StubProvider(inventive) as stub:
        ask(stub)
        result = worked().result
    (finding,) = result["findings"]
    assert [quote["period"] for quote in finding["quotes"]] == [0] and result["answer"] == "All."


@pytest.mark.parametrize(
    "text",
    [
        "I am sorry.",
        "",
        '{"findings": "none"}',
        '{"findings": [{"claim": "x", "quotes": [{"run": "one", "period": 0, "text": "y"}]}]}',
        '{"findings": [{"claim": "a\\u0000b", "quotes": []}]}',
        '{"findings": [{"claim": "a\\ud800b", "quotes": []}]}',
        '{"findings": [], "answer": NaN}',
        "[" * 100_000,
        json.dumps({"findings": [{"claim": "x", "quotes": []}] * 1000}),
        json.dumps({"findings": [], "answer": "x" * 10_000}),
    ],
)
def test_an_answer_of_another_form_is_refused_with_a_sentence(text):
    with pytest.raises(UnusableAnswer, match=r"The model's answer .*\."):
        read_answer(Reply(text=text), PartAnswerIn)


def test_an_answer_within_a_fence_is_read():
    assert read_answer(Reply(text='```json\n{"findings": []}\n```'), PartAnswerIn).findings == []


def test_parts_without_a_usable_answer_are_counted_and_asked_again(ask, worked, page, runs):
    broken = iter([True, False, False, False])

    def sometimes(wire, body, headers):
        return answered("no JSON") if next(broken) else honest(wire, body, headers)

    with StubProvider(sometimes) as stub:
        ask(stub)
        question = worked()
        assert question.state == "done" and stub.count == 2
        text = page.get(f"/questions/{question.pk}/").text
        assert "1 of 2 parts of the transcripts brought no usable answer." in text
        page.post(f"/questions/{question.pk}/resume/")
        again = worked()
        # Only the failed part is paid again, then the query that joins both.
        assert stub.count == 4 and again.result["answer"] == "Everywhere."
        assert limits_of(Question.objects.get(), again.result) == []


def test_a_question_without_any_usable_answer_fails_with_its_reason(ask, worked):
    with StubProvider(lambda *_: StubAnswer(text="{", stop="length")) as stub:
        ask(stub)
        question = worked()
    assert question.state == "failed" and question.problem.endswith("It was cut off at its limit.")
    assert JobCall.objects.filter(state="replied").count() == 2


def test_long_runs_are_read_in_parts_of_whole_periods(ask, worked, runs, monkeypatch):
    monkeypatch.setattr("workspace.questions.estimating.PART_CHARACTERS", 250)
    with StubProvider(honest) as stub:
        ask(stub, of=runs[:1])
        question = worked()
        periods = [[row["period"] for row in rows_in(body)] for body in stub.bodies[:-1]]
    assert periods == [[0, 1], [2]] and question.state == "done"
    assert [(part.first, part.last) for part in question.parts.all()] == [(0, 1), (2, 2)]


def test_only_the_beginning_of_a_long_text_is_sent_and_the_answer_says_so(ask, worked, runs):
    runs[0].notes.update(text="drop " * 5_000)
    with StubProvider(honest) as stub:
        ask(stub, of=runs[:1])
        question = worked()
        assert {len(row["text"]) for row in rows_in(stub.bodies[0])} == {10_000}
    assert "Of 3 long texts only the beginning was read." in limits_of(question, question.result)
