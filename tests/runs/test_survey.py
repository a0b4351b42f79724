"""A survey sends many questions concurrently, pays for each answer once, and commits its periods in order."""

import re
from itertools import count

import pytest

from runs.models import Exchange, ExchangeState, Period, Run, RunState
from runs.services import runs_control
from runs.transcripts import period_transcripts
from tests.stub_provider import StubAnswer

pytestmark = pytest.mark.django_db(transaction=True)

SMALL = {"repetitions": 2, "one_month": 0, "six_months": 0, "one_year": 1, "five_years": 0}


def answer(wire, body, headers):
    """Takes $110 and more after a year: a consistent rate between the tested amounts."""
    prompt = str(body["messages"])
    amount = float(re.search(r"\$([\d.]+) (?:one|1) year", prompt)[1])
    later_is_a = re.search(r"between A: receiving \$100 right now", prompt) is None
    letter = "A" if (amount >= 110) == later_is_a else "B"
    return StubAnswer(text=f"<reasoning>I waited.</reasoning><answer>{letter}</answer>")


@pytest.fixture
def patience(model_run):
    """Play a small survey; returns the run and the stub."""
    game = {"environments": ("patience_vs_impatience",), "difficulties": ("CUSTOM",), "settings": SMALL}
    return lambda script, slices=1: model_run(script, slices=slices, periods=None, **game)


@pytest.mark.long
def test_a_survey_measures_a_model_with_a_query_per_question(patience):
    run, stub = patience(answer)
    assert run.state == RunState.FINISHED
    assert run.periods_played == run.periods == 20
    assert run.queries == stub.count == 40
    assert list(Period.objects.filter(run=run).values_list("index", flat=True)) == list(range(20))
    assert 0.085 <= run.score <= 0.096
    assert "tools" not in stub.bodies[0] and "tool_choice" not in stub.bodies[0]
    (talk,) = period_transcripts(run, 3).values()
    assert len(talk.exchanges) == 2
    assert all("$100 right now" in exchange.question for exchange in talk.exchanges)
    assert all("<answer>" in exchange.text for exchange in talk.exchanges)


@pytest.mark.long
def test_questions_answered_before_an_error_are_not_repeated(patience):
    sent = count(1)

    def script(*request):
        return StubAnswer(status=503, error="overloaded") if next(sent) in (26, 27) else answer(*request)

    run, stub = patience(script, slices=2)
    assert run.state == RunState.FINISHED
    failed = Exchange.objects.filter(state=ExchangeState.FAILED).count()
    assert failed >= 1
    assert stub.count == 40 + failed
    assert run.queries == 40


@pytest.mark.long
def test_a_cancelled_survey_stops_after_the_queries_in_flight(patience, alice):
    sent = count(1)

    def script(*request):
        if next(sent) == 5:
            runs_control(runs=Run.objects.all(), action="cancel", user=alice)
        return answer(*request)

    run, stub = patience(script)
    assert run.state == RunState.CANCELLED
    assert stub.count <= 40
