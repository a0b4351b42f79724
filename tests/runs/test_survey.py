"""A survey asks many questions at once, pays for each answer once, and commits its periods in order."""

from __future__ import annotations

import re

import pytest

from runs.engine.advance import advance
from runs.models import Exchange, ExchangeState, Period, Run, RunState
from runs.transcripts import period_transcripts
from tests.stub_provider import StubAnswer, StubProvider

pytestmark = pytest.mark.django_db(transaction=True)

PATIENCE = "patience_vs_impatience"
SMALL = {"repetitions": 2, "one_month": 0, "six_months": 0, "one_year": 1, "five_years": 0}


def answer(text: str, body: dict) -> StubAnswer:
    """Takes $110 and more after a year: a consistent rate between the tested amounts."""
    prompt = str(body["messages"])
    amount = float(re.search(r"\$([\d.]+) (?:one|1) year", prompt)[1])
    later_is_a = re.search(r"between A: receiving \$100 right now", prompt) is None
    letter = "A" if (amount >= 110) == later_is_a else "B"
    return StubAnswer(text=f"<reasoning>{text}</reasoning><answer>{letter}</answer>")


@pytest.fixture
def patience(launch, model_agent):
    def start(stub, **options):
        experiment = launch(
            model_agent(stub, **options).slug,
            environments=(PATIENCE,),
            difficulties=("CUSTOM",),
            settings=SMALL,
            periods=None,
        )
        return experiment.runs.get()

    return start


def test_a_model_is_measured_and_nothing_is_asked_twice(patience):
    with StubProvider(lambda wire, body, headers: answer("I waited.", body)) as stub:
        run = patience(stub)
        advance(run.pk)
    run.refresh_from_db()
    assert run.state == RunState.FINISHED
    assert run.periods_played == run.periods == 20
    assert run.queries == stub.count == 40
    assert list(Period.objects.filter(run=run).values_list("index", flat=True)) == list(range(20))
    assert 0.085 <= run.score <= 0.096
    assert "tools" not in stub.bodies[0] and "tool_choice" not in stub.bodies[0]


def test_an_invalid_answer_is_asked_again_and_then_counted_as_invalid(patience):
    with StubProvider(lambda *_: StubAnswer(text="It depends.")) as stub:
        run = patience(stub)
        advance(run.pk)
    run.refresh_from_db()
    assert stub.count == 120
    assert all(period.action["invalid"] == 2 for period in Period.objects.filter(run=run))


def test_questions_answered_before_an_error_are_not_asked_again(patience):
    broken = {"from": 25, "until": 26}

    def script(wire, body, headers):
        if broken["from"] <= stub.count <= broken["until"]:
            return StubAnswer(status=503, error="overloaded")
        return answer("Again.", body)

    with StubProvider(script) as stub:
        run = patience(stub)
        advance(run.pk)
        run.refresh_from_db()
        assert run.state == RunState.WAITING
        Run.objects.filter(pk=run.pk).update(wake_at=None)
        advance(run.pk)
    run.refresh_from_db()
    assert run.state == RunState.FINISHED
    failed = Exchange.objects.filter(run=run, state=ExchangeState.FAILED).count()
    assert failed >= 1
    assert stub.count == 40 + failed
    assert run.queries == 40


def test_a_cancelled_survey_stops_after_the_queries_in_flight(patience, alice):
    from runs.services import run_cancel

    def script(wire, body, headers):
        if stub.count == 5:
            run_cancel(run=Run.objects.get(), user=alice)
        return answer("Slowly.", body)

    with StubProvider(script) as stub:
        run = patience(stub)
        advance(run.pk)
    run.refresh_from_db()
    assert run.state == RunState.CANCELLED
    assert stub.count <= 40


def test_the_transcript_of_a_period_shows_each_question_with_its_answer(patience):
    with StubProvider(lambda wire, body, headers: answer("Because.", body)) as stub:
        run = patience(stub)
        advance(run.pk)
    (talk,) = period_transcripts(Run.objects.get(), 3).values()
    assert len(talk.exchanges) == 2
    assert all("$100 right now" in exchange.question for exchange in talk.exchanges)
    assert all("<answer>" in exchange.text for exchange in talk.exchanges)
