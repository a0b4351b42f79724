"""A batch survey answers each question once, at half the price, for every outcome of its lines."""

import re
from datetime import timedelta

import pytest
from django.db.models import F

from runs.models import Exchange, ExchangeState, Run, RunState, SurveyBatch
from runs.services import runs_control
from tests.emulators.batches import Batch
from tests.runs.batched import ANTHROPIC, OPENAI, QUESTIONS, SOL, Chooser, lose_first_submission

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


@pytest.mark.parametrize("model", [OPENAI, SOL, ANTHROPIC])
def test_a_survey_by_batch_is_finished_at_half_the_price(survey, model):
    played = survey(model)
    assert played.play() == RunState.FINISHED
    assert (played.run.periods_played, played.run.queries, len(played.answered)) == (3, QUESTIONS, QUESTIONS)
    assert set(played.answered.values()) == {1}
    assert len(played.emulator.batches.all) == 1 and played.emulator.asked == []
    assert set(Exchange.objects.values_list("state", flat=True)) == {ExchangeState.REPLIED}
    assert played.run.conditions["seat_0"]["tier"] == "batch"
    played.assert_books()


def test_a_worker_releases_a_run_that_waits_for_its_batch(survey, settings):
    settings.BATCH_POLL_SECONDS = 60
    played = survey()
    assert played.work() == RunState.WAITING
    assert (played.run.lease_until, played.run.wake_at is None) == (None, False)
    played.emulator.batches.advance()
    played.emulator.batches.advance(lines=2)
    assert played.work() == RunState.WAITING
    assert re.fullmatch(
        r"Waits for its batch: 2 of 6 lines answered; may take until \d+ \w+, \d\d:\d\d UTC\.", played.run.reason
    )
    assert Exchange.objects.filter(state=ExchangeState.SENT).count() == QUESTIONS


def test_half_of_the_maximum_of_each_line_is_reserved(survey):
    played = survey()
    played.work()
    lines = Exchange.objects.all()
    request_nano = 2000 * 8 * 1000
    assert all(request_nano // 2 < line.reserved_nano < request_nano for line in lines)
    played.run.refresh_from_db()
    assert played.run.reserved_nano == sum(line.reserved_nano for line in lines)


@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
@pytest.mark.parametrize("outcome", ["expired", "errored", "cancelled"])
def test_an_unanswered_line_is_repeated_at_no_cost(survey, model, outcome):
    played = survey(model)
    played.work()
    played.emulator.batches.outcomes[f"{played.batch.mark}-1-0-0"] = outcome
    assert played.play() == RunState.FINISHED
    assert [len(batch.lines) for batch in played.emulator.batches.all] == [QUESTIONS, 1]
    assert set(played.answered.values()) == {1}
    (failed,) = Exchange.objects.filter(state=ExchangeState.FAILED)
    assert (failed.cost_nano, failed.period_index, failed.send) == (0, 1, 0) and failed.error
    played.assert_books()


@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
def test_an_expired_batch_is_followed_by_a_batch_of_its_open_lines(survey, model):
    played = survey(model)
    played.work()
    if model == OPENAI:
        played.emulator.batches.advance()
    played.emulator.batches.advance(lines=4)
    played.emulator.batches.expire()
    assert played.play() == RunState.FINISHED
    assert [len(batch.lines) for batch in played.emulator.batches.all] == [QUESTIONS, 2]
    assert set(played.answered.values()) == {1}
    played.assert_books()


def test_invalid_answers_are_repeated_in_smaller_batches(survey):
    played = survey(player=Chooser(invalid=4))
    assert played.play() == RunState.FINISHED
    assert [len(batch.lines) for batch in played.emulator.batches.all] == [6, 4]
    assert played.run.queries == 10 and set(played.answered.values()) == {1}
    played.assert_books()


def test_a_refused_parameter_is_dropped_from_the_next_batch(survey):
    played = survey(ANTHROPIC, temperature=0.5)
    assert played.play() == RunState.FINISHED
    first, second = played.emulator.batches.all
    assert "temperature" in first.lines[0][2] and "temperature" not in second.lines[0][2]
    played.run.agent.refresh_from_db()
    assert played.run.agent.learned == {"refused": ["temperature"]}
    played.assert_books()


def test_a_refused_batch_pauses_the_run_and_reserves_no_money(survey):
    played = survey()
    refusal = {"error": {"message": "Billing hard limit has been reached.", "code": "billing_hard_limit_reached"}}
    played.emulator.page_fault = lambda method, path: (
        (400, refusal) if (method, path) == ("POST", "/v1/batches") else None
    )
    assert played.work() == RunState.PAUSED
    assert (played.run.pause_cause, played.run.reserved_nano, played.run.cost_nano) == ("credit", 0, 0)
    played.emulator.page_fault = None
    runs_control(runs=Run.objects.all(), action="resume", user=None)
    assert played.play() == RunState.FINISHED
    played.assert_books()


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
def test_an_unanswered_submission_is_searched_for_before_a_retry(survey, model, arrives):
    played = survey(model)
    lose_first_submission(played.emulator, arrives=arrives)
    assert played.work() == RunState.WAITING and played.batch.provider_id == ""
    assert played.play() == RunState.FINISHED
    assert len(played.emulator.batches.all) == 1 and set(played.answered.values()) == {1}
    played.assert_books()


def test_a_foreign_batch_of_the_same_key_is_not_adopted(survey):
    played = survey(ANTHROPIC)
    lose_first_submission(played.emulator, arrives=False)
    lines = [(f"other-{number}", "/messages", {}) for number in range(QUESTIONS)]
    played.emulator.batches.all.append(Batch("msgbatch_other", "anthropic", lines, {}, "in_progress"))
    played.work()
    assert played.work() == RunState.WAITING and "other batches of the key" in played.run.reason
    played.emulator.batches.expire()
    assert played.play() == RunState.FINISHED
    assert set(played.answered.values()) == {1}
    played.assert_books()


def test_a_recent_submission_may_still_arrive(survey, settings):
    settings.BATCH_POLL_SECONDS = 60
    played = survey()
    lose_first_submission(played.emulator, arrives=False)
    played.work()
    assert played.work() == RunState.WAITING and played.emulator.batches.all == []
    SurveyBatch.objects.update(sent_at=F("sent_at") - timedelta(minutes=2))
    assert played.play() == RunState.FINISHED
    played.assert_books()
