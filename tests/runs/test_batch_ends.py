"""Batch surveys stopped by a budget, a person or the provider: answered lines are paid, and no money stays reserved."""

from collections import Counter
from datetime import timedelta

import pytest
from django.db.models import F

from runs.engine.batches import closing
from runs.models import BatchState, Exchange, ExchangeState, Experiment, MonthlySpend, Run, RunState, SurveyBatch
from runs.services import experiment_delete, experiment_undelete, runs_control
from tests.runs.batched import ANTHROPIC, OPENAI, QUESTIONS, Chooser, lose_first_submission

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]


def test_a_budget_admits_only_as_many_lines_as_fit(survey):
    line_nano = 20_000_000
    played = survey(budget_nano=2 * line_nano)
    assert played.work() == RunState.WAITING
    (batch,) = played.emulator.batches.all
    assert 0 < len(batch.lines) < QUESTIONS
    assert played.run.cost_nano + played.run.reserved_nano <= played.run.budget_nano
    assert played.play(40) == RunState.FINISHED
    assert set(played.answered.values()) == {1}
    played.assert_books()


def test_a_budget_without_room_for_a_line_pauses_the_run(survey):
    played = survey(budget_nano=1000)
    assert played.work() == RunState.PAUSED
    assert (played.run.pause_cause, played.run.reserved_nano) == ("budget", 0)
    assert played.emulator.batches.all == []
    Run.objects.update(budget_nano=None)
    runs_control(runs=Run.objects.all(), action="resume", user=None)
    assert played.play() == RunState.FINISHED
    played.assert_books()


@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
def test_a_cancelled_run_pays_for_answered_lines_and_releases_the_rest(survey, model):
    played = survey(model)
    played.work()
    if model == OPENAI:
        played.emulator.batches.advance()
    played.emulator.batches.advance(lines=2)
    runs_control(runs=Run.objects.all(), action="cancel", user=None)
    assert closing.close_next()
    assert played.batch.state == BatchState.CANCELLING
    played.emulator.batches.advance()
    assert closing.close_next() and not closing.close_next()
    states = Counter(Exchange.objects.values_list("state", flat=True))
    assert states == {ExchangeState.REPLIED: 2, ExchangeState.FAILED: 4}
    played.assert_books()
    assert played.work() == RunState.CANCELLED


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
def test_a_run_cancelled_during_submission_pays_for_arrived_lines(survey, model, arrives):
    played = survey(model)
    lose_first_submission(played.emulator, arrives=arrives)
    played.work()
    runs_control(runs=Run.objects.all(), action="cancel", user=None)
    while closing.close_next():
        played.emulator.batches.advance()
    assert not Exchange.objects.filter(state=ExchangeState.SENT).exists()
    played.assert_books()


def test_deleting_an_experiment_cancels_its_batch(survey):
    played = survey()
    played.work()
    experiment_delete(experiment=played.run.experiment)
    assert MonthlySpend.objects.get(user=None).reserved_nano > 0
    while closing.close_next():
        played.emulator.batches.advance()
    assert played.emulator.batches.all[0].status == "cancelled"
    assert MonthlySpend.objects.get(user=None).reserved_nano == 0
    experiment_undelete(experiment=Experiment.with_deleted.get())
    runs_control(runs=Run.objects.all(), action="resume", user=None)
    assert played.play() == RunState.FINISHED
    played.assert_books()


def test_a_batch_that_cannot_be_closed_for_days_is_booked_as_lost(survey):
    played = survey()
    played.work()
    runs_control(runs=Run.objects.all(), action="cancel", user=None)
    played.emulator.page_fault = lambda method, path: (401, {"error": {"message": "Incorrect API key"}})
    assert closing.close_next() and Exchange.objects.filter(state=ExchangeState.SENT).count() == QUESTIONS
    SurveyBatch.objects.update(created_at=F("created_at") - timedelta(days=3))
    assert closing.close_next() and not closing.close_next()
    played.run.refresh_from_db()
    lost = Exchange.objects.filter(state=ExchangeState.LOST)
    assert played.run.cost_nano == sum(line.reserved_nano for line in lost) > 0 == played.run.reserved_nano


def test_a_paused_run_submits_no_batch_and_reads_its_open_batch_after_resuming(survey):
    played = survey(player=Chooser(invalid=1))
    played.work()
    runs_control(runs=Run.objects.all(), action="pause", user=None)
    for _ in range(3):
        played.emulator.batches.advance()
    assert played.work() == RunState.PAUSED and not closing.due().exists()
    runs_control(runs=Run.objects.all(), action="resume", user=None)
    assert played.play() == RunState.FINISHED
    assert [len(batch.lines) for batch in played.emulator.batches.all] == [QUESTIONS, 1]
    played.assert_books()


def test_a_batch_lost_by_the_provider_is_booked_and_pauses_the_run(survey):
    played = survey()
    played.work()
    played.emulator.batches.all.clear()
    assert played.work() == RunState.PAUSED and "does not know the batch" in played.run.reason
    lost = Exchange.objects.filter(state=ExchangeState.LOST)
    assert played.run.cost_nano == sum(line.reserved_nano for line in lost) > 0 == played.run.reserved_nano
