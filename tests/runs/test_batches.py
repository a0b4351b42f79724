"""A survey by batch: each question is answered once, at half the price, whatever happens to lines, workers and the run."""

import re
from collections import Counter
from datetime import timedelta
from decimal import Decimal

import pytest
from django.db.models import F

from agents.providers.makers import Anthropic, OpenAI
from runs.engine.advance import advance
from runs.engine.batches import closing
from runs.models import Agent, BatchState, Exchange, ExchangeState, Experiment, MonthlySpend, Run, RunState, SurveyBatch
from runs.services import agent_create, experiment_delete, experiment_undelete, runs_control
from tests.emulators.batches import Batch
from tests.emulators.families import FAMILIES
from tests.emulators.player import Play
from tests.emulators.server import Emulator

pytestmark = pytest.mark.django_db(transaction=True)

SMALL = {"repetitions": 2, "one_month": 0, "six_months": 0, "one_year": 1, "five_years": 0}
GAME = {"environments": ("patience_vs_impatience",), "difficulties": ("CUSTOM",), "settings": SMALL, "periods": 3}
QUESTIONS = 6
OPENAI, SOL, ANTHROPIC = "gpt-4.1-2025-04-14", "gpt-6.2-sol", "claude-opus-4-8"


class Chooser:
    """Waits for $110 and more; invalid: the first so many answers are none."""

    def __init__(self, invalid=0):
        self.invalid = invalid

    def __call__(self, view):
        ((_, prompt),) = view.messages
        self.invalid -= 1
        if self.invalid >= 0:
            return Play(text="I cannot decide.")
        amount = float(re.search(r"\$([\d.]+) (?:one|1) year", prompt)[1])
        later_is_a = re.search(r"between A: receiving \$100 right now", prompt) is None
        return Play(text=f"<answer>{'A' if (amount >= 110) == later_is_a else 'B'}</answer>")


class Survey:
    """A run by batch and its emulated provider."""

    def __init__(self, run, emulator):
        self.run, self.emulator = run, emulator

    def work(self):
        """A worker takes the run, as soon as it is due."""
        Run.objects.update(wake_at=None)
        advance(self.run.pk)
        self.run.refresh_from_db()
        return self.run.state

    def play(self, rounds=12):
        """Workers and the provider go on by turns until the run waits no more."""
        for _ in range(rounds):
            if self.work() not in (RunState.WAITING, RunState.QUEUED):
                break
            self.emulator.batches.advance()
        return self.run.state

    @property
    def batch(self):
        return SurveyBatch.objects.exclude(state=BatchState.ENDED).get()

    @property
    def answered(self):
        """How often the model answered each try of each question."""
        return Counter(name.partition("-")[2] for name in self.emulator.batches.answered.elements())

    def assert_books(self):
        """Run, experiment and month have booked what the provider bills, and nothing stays reserved."""
        for row in (self.run, self.run.experiment, MonthlySpend.objects.get(user=None)):
            row.refresh_from_db()
            assert (row.cost_nano, row.reserved_nano) == (self.emulator.bill.nanodollars, 0)
        full = self.emulator.model.prices.nano
        assert 2 * self.run.cost_nano == sum(full(charge.usage) for charge in self.emulator.bill.charges)


@pytest.fixture
def survey(organization, launch, monkeypatch, settings):
    """Launch a survey by batch at an emulated maker, whose address is the maker's own."""
    emulators = []
    settings.BATCH_POLL_SECONDS = 0

    def start(model=OPENAI, player=None, budget_nano=None, **options):
        from accounts.services import endpoint_create

        emulator = Emulator(FAMILIES[model], player or Chooser())
        emulators.append(emulator)
        maker = {"openai": OpenAI, "anthropic": Anthropic}[emulator.model.maker]
        monkeypatch.setattr(maker, "own_url", emulator.base_url)
        # A key of its own, since clients of equal endpoints and keys are shared by a process.
        own = {"provider": emulator.model.maker, "base_url": "", "key": f"sk-{emulator.url}"}
        endpoint = endpoint_create(organization=organization, name="own", **own)
        cards = {"input": "input", "output": "output", "cached": "cached", "cache_write": "written"}
        price = {
            f"{name}_price": Decimal(float(getattr(emulator.model.prices, on_card))) for name, on_card in cards.items()
        }
        values = {"temperature": None, "max_tokens": 2000} | options
        agent = agent_create(organization=organization, name="batcher", endpoint=endpoint, model=model, **values)
        Agent.objects.filter(pk=agent.pk).update(**price)
        if model == SOL:  # as if an earlier run had learned it: makers are known by their host
            Agent.objects.filter(pk=agent.pk).update(learned={"wire": "responses"})
        run = launch(agent.slug, batch=True, run_budget_nano=budget_nano, **GAME).runs.get()
        return Survey(run, emulator)

    yield start
    for emulator in emulators:
        emulator.close()


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


def test_a_worker_leaves_the_run_while_it_waits(survey, settings):
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
def test_a_line_without_an_answer_is_asked_again_at_no_cost(survey, model, outcome):
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
def test_a_batch_that_expires_is_followed_by_one_of_its_open_lines(survey, model):
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


def test_invalid_answers_are_asked_again_in_smaller_batches(survey):
    played = survey(player=Chooser(invalid=4))
    assert played.play() == RunState.FINISHED
    assert [len(batch.lines) for batch in played.emulator.batches.all] == [6, 4]
    assert played.run.queries == 10 and set(played.answered.values()) == {1}
    played.assert_books()


def test_what_the_maker_refuses_is_left_out_of_the_next_batch(survey):
    played = survey(ANTHROPIC, temperature=0.5)
    assert played.play() == RunState.FINISHED
    first, second = played.emulator.batches.all
    assert "temperature" in first.lines[0][2] and "temperature" not in second.lines[0][2]
    played.run.agent.refresh_from_db()
    assert played.run.agent.learned == {"refused": ["temperature"]}
    played.assert_books()


def test_a_batch_that_the_maker_refuses_pauses_the_run_and_reserves_nothing(survey):
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


def lose_first_submission(emulator, *, arrives=True):
    """The provider answers the first new batch with an error, whether or not it keeps the batch."""
    take, lost = emulator.batches.take, []

    def taken(method, path, *rest):
        if method != "POST" or not path.endswith("/batches") or lost:
            return take(method, path, *rest)
        lost.append(take(method, path, *rest) if arrives else None)
        return 502, {"error": {"message": "Bad gateway"}}

    emulator.batches.take = taken


@pytest.mark.parametrize("arrives", [True, False])
@pytest.mark.parametrize("model", [OPENAI, ANTHROPIC])
def test_a_submission_without_an_answer_is_looked_for_before_it_is_repeated(survey, model, arrives):
    played = survey(model)
    lose_first_submission(played.emulator, arrives=arrives)
    assert played.work() == RunState.WAITING and played.batch.provider_id == ""
    assert played.play() == RunState.FINISHED
    assert len(played.emulator.batches.all) == 1 and set(played.answered.values()) == {1}
    played.assert_books()


def test_a_batch_of_somebody_else_with_the_same_key_is_not_taken_for_ours(survey):
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


def test_a_young_submission_may_still_arrive(survey, settings):
    settings.BATCH_POLL_SECONDS = 60
    played = survey()
    lose_first_submission(played.emulator, arrives=False)
    played.work()
    assert played.work() == RunState.WAITING and played.emulator.batches.all == []
    SurveyBatch.objects.update(sent_at=F("sent_at") - timedelta(minutes=2))
    assert played.play() == RunState.FINISHED
    played.assert_books()


def test_a_budget_holds_and_lets_as_many_lines_through_as_fit(survey):
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
def test_a_cancelled_run_pays_for_what_was_answered_and_frees_the_rest(survey, model):
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
def test_a_run_that_is_cancelled_before_its_submission_is_known_pays_for_what_arrived(survey, model, arrives):
    played = survey(model)
    lose_first_submission(played.emulator, arrives=arrives)
    played.work()
    runs_control(runs=Run.objects.all(), action="cancel", user=None)
    while closing.close_next():
        played.emulator.batches.advance()
    assert not Exchange.objects.filter(state=ExchangeState.SENT).exists()
    played.assert_books()


def test_the_batch_of_a_deleted_experiment_is_cancelled_too(survey):
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


def test_a_batch_that_cannot_be_ended_for_days_is_booked_as_lost(survey):
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


def test_a_paused_run_asks_no_new_batch_and_reads_its_open_one_when_it_goes_on(survey):
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


def test_a_batch_that_the_maker_lost_is_booked_and_a_person_decides(survey):
    played = survey()
    played.work()
    played.emulator.batches.all.clear()
    assert played.work() == RunState.PAUSED and "does not know the batch" in played.run.reason
    lost = Exchange.objects.filter(state=ExchangeState.LOST)
    assert played.run.cost_nano == sum(line.reserved_nano for line in lost) > 0 == played.run.reserved_nano
