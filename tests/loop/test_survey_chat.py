"""A period of a survey: independent queries, repeated a few times if the answer is invalid."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from agents.episode import play
from agents.llm import Reply
from agents.survey import SurveyChat, SurveyPosition
from environments.patience import Patience
from environments.registry import generate
from tests.scripted import ScriptedLLM

SETTINGS = {"repetitions": 4, "one_month": 0, "six_months": 0, "one_year": 1, "five_years": 0}
A, B, TALK = Reply(text="<answer>A</answer>"), Reply(text="<answer>B</answer>"), Reply(text="Let me think.")


def survey(**options):
    return Patience(generate("patience_vs_impatience", "CUSTOM", 0, settings=SETTINGS), **options)


@pytest.fixture
def chat():
    return SurveyChat(survey())


def test_all_questions_of_a_period_are_independent_queries(chat):
    places, requests = zip(*chat.pending(), strict=True)
    assert places == tuple(SurveyPosition(str(i), 0) for i in range(4))
    for request, question in zip(requests, chat.survey.questions(), strict=True):
        assert (request.system, request.prompt, request.tools, request.turns) == ("", question.prompt, (), ())
    assert len({request.key for request in requests}) == 4


def test_replies_can_arrive_in_any_order(chat):
    for place, reply in ((SurveyPosition("2", 0), B), (SurveyPosition("0", 0), A), (SurveyPosition("3", 0), A)):
        chat.receive(place, reply)
    assert not chat.finished and [place for place, _ in chat.pending()] == [SurveyPosition("1", 0)]
    with pytest.raises(ValueError, match="1 questions have no answer yet."):
        _ = chat.action
    chat.receive(SurveyPosition("1", 0), B)
    assert chat.finished and chat.pending() == []
    # 0 and 2 offer now as A, 1 and 3 as B.
    assert chat.action == {"horizon": "1 year", "amount": 101, "later": 2, "now": 2, "invalid": 0}
    assert chat.survey.period == 0, "whoever drives the chat steps the environment"


def test_an_invalid_answer_repeats_the_question_as_an_independent_query(chat):
    first = dict(chat.pending())[SurveyPosition("1", 0)]
    chat.receive(SurveyPosition("1", 0), TALK)
    again = dict(chat.pending())[SurveyPosition("1", 1)]
    assert (again.prompt, again.turns) == (first.prompt, ()) and again.key != first.key
    chat.receive(SurveyPosition("1", 1), A)
    assert chat.answers == {"1": "later"}


def test_a_question_counts_as_invalid_after_three_invalid_answers(chat):
    for attempt in range(3):
        assert not chat.answers
        chat.receive(SurveyPosition("0", attempt), Reply(text="", stop="refusal"))
    assert chat.answers == {"0": None}
    for key in "123":
        chat.receive(SurveyPosition(key, 0), A)
    assert chat.action == {"horizon": "1 year", "amount": 101, "later": 2, "now": 1, "invalid": 1}


@pytest.mark.parametrize("place", [SurveyPosition("0", 1), SurveyPosition("9", 0), SurveyPosition("1", 0)])
def test_an_unexpected_reply_is_a_bug_of_the_caller(chat, place):
    chat.receive(SurveyPosition("1", 0), A)
    with pytest.raises(ValueError, match="No reply is awaited"):
        chat.receive(place, A)


def test_queries_of_several_threads_give_the_same_action(chat):
    def answer(request):
        return TALK if request.key.endswith(".0") else A

    with ThreadPoolExecutor(4) as threads:
        while not chat.finished:
            pending = chat.pending()
            replies = threads.map(answer, [request for _, request in pending])
            for (place, _), reply in zip(pending, replies, strict=True):
                chat.receive(place, reply)
    assert chat.action["later"] == chat.action["now"] == 2


def test_a_whole_survey_is_played_in_memory():
    llm = ScriptedLLM(lambda request: B)
    run = play(survey(periods=3), lambda seat, period: llm)
    assert run.finished and len(llm.requests) == 12
    assert [outcome.action["amount"] for outcome in run.outcomes] == [101, 102, 103]
    assert all(outcome.result == {"later_share": 0.5} for outcome in run.outcomes)
