"""A call is sent only if its maximum cost fits every budget that pays for it."""

from decimal import Decimal

import pytest
from django.core.exceptions import ValidationError

from agents.providers.client import Client
from runs.engine import lease
from runs.engine.advance import advance
from runs.engine.writing.budget_accounts import ACCOUNT_FIELDS, Account
from runs.models import BudgetAlert, Exchange, Experiment, MonthlySpend, PauseCause, Run, RunState
from runs.services.budgets import (
    experiment_set_budget,
    member_set_budget,
    month_row,
    organization_set_budget,
    run_set_budget,
)
from runs.services.deletions import experiment_delete
from tests.cast import book
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider

DOLLAR = 1_000_000_000
PRICES = {"input_price": Decimal(10), "output_price": Decimal(10)}


@pytest.fixture
def stub():
    with StubProvider(ScriptedPlayer()) as stub:
        yield stub


@pytest.fixture
def priced(launch, model_agent, stub):
    """A run of four periods with a model that costs $10 per million tokens and writes at most 1,000 of them."""
    return launch(model_agent(stub, max_tokens=1000, **PRICES).slug).runs.get()


@pytest.fixture
def play(priced):
    """Play a slice of the run."""

    def play():
        advance(priced.pk)
        priced.refresh_from_db()

    return play


def set_experiment(run, nano):
    return experiment_set_budget(experiment=run.experiment, budget_nano=nano)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("put", "named"),
    [
        (lambda run, nano: run_set_budget(run=run, budget_nano=nano), "The run"),
        (set_experiment, "The experiment"),
        (
            lambda run, nano: member_set_budget(membership=run.organization.memberships.get(), budget_nano=nano),
            "The month of who launched this",
        ),
        (
            lambda run, nano: organization_set_budget(organization=run.organization, budget_nano=nano),
            "The organization's month",
        ),
    ],
)
def test_each_budget_pauses_the_run_and_a_raise_resumes_it(priced, play, stub, put, named):
    put(priced, int(0.08 * DOLLAR))
    play()
    assert (priced.state, priced.pause_cause) == (RunState.PAUSED, PauseCause.BUDGET)
    assert priced.reason.startswith(f"{named} has spent $0.0")
    assert 1 < stub.count < 8
    assert 0 < priced.cost_nano <= 0.08 * DOLLAR
    assert put(priced, DOLLAR) == 1
    play()
    assert priced.state == RunState.FINISHED


def account_of(*row, **sums):
    return Account(Experiment, "The experiment", dict(zip(ACCOUNT_FIELDS, row, strict=True)), **sums)


def test_a_run_that_is_refused_while_the_budget_is_raised_goes_on(priced):
    set_experiment(priced, DOLLAR)
    fence = lease.take(priced.pk)
    experiment = priced.experiment
    account = account_of(experiment.pk, priced.organization_id, DOLLAR, DOLLAR, 0, 0)
    refusal = account.refusal(DOLLAR)
    # The run is not paused yet, so the raise resumes nothing.
    assert set_experiment(priced, 3 * DOLLAR) == 0
    lease.release(priced.pk, fence, refusal.state, cause=refusal.cause, is_void=refusal.is_void)
    priced.refresh_from_db()
    assert (priced.state, priced.pause_cause) == (RunState.QUEUED, "")


@pytest.mark.parametrize(
    ("cost", "held", "fits"),
    [(60, 0, True), (61, 0, False), (0, 60, True), (0, 61, False), (30, 30, True), (30, 31, False)],
)
def test_a_call_may_use_up_a_budget_exactly(cost, held, fits):
    """Of a budget of 100, after so much was spent and reserved, the call may cost 40."""
    account = account_of(1, 1, 100, cost, held, 0)
    assert (account.refusal(40) is None) == fits
    in_this_transaction = account_of(1, 1, 100, 0, 0, 0, spent=cost, held=held)
    assert (in_this_transaction.refusal(40) is None) == fits


@pytest.mark.parametrize("nano", [0, -1])
def test_a_budget_of_0_is_refused(priced, nano):
    set_experiment(priced, DOLLAR)
    with pytest.raises(ValidationError, match=r"more than \$0"):
        set_experiment(priced, nano)
    assert Experiment.objects.get().budget_nano == DOLLAR


def test_a_budget_below_the_cost_of_a_call_sends_no_call(priced, play, stub):
    set_experiment(priced, DOLLAR // 1000)
    play()
    assert priced.state == RunState.PAUSED
    assert stub.count == 0 and not Exchange.objects.exists()


def test_every_account_agrees_with_the_calls(priced, play):
    play()
    calls = Exchange.objects.values_list("cost_nano", "reserved_nano")
    assert all(0 < cost <= reserved for cost, reserved in calls)
    total = sum(cost for cost, _ in calls)
    months = MonthlySpend.objects.values_list("user__username", "cost_nano", "reserved_nano")
    assert (priced.cost_nano, priced.reserved_nano) == (total, 0)
    assert Experiment.objects.values_list("cost_nano", "reserved_nano").get() == (total, 0)
    assert sorted(months, key=str) == sorted([(None, total, 0), ("alice", total, 0)], key=str)


def test_calls_in_flight_make_a_run_wait_and_not_pause(priced, play, stub):
    set_experiment(priced, DOLLAR)
    Experiment.objects.update(reserved_nano=DOLLAR - 1000)
    play()
    assert priced.state == RunState.WAITING
    assert "Calls in flight" in priced.reason
    assert stub.count == 0
    Experiment.objects.update(reserved_nano=0)
    Run.objects.update(wake_at=None)
    play()
    assert priced.state == RunState.FINISHED


def test_a_budget_warns_once_at_50_80_and_100_percent(launch):
    experiment, budget = launch("random"), 1000
    set_experiment(experiment.runs.get(), budget)
    for share in (0.4, 0.15, 0.1, 0.2, 0.05):
        book(experiment, int(budget * share))
    alerts = BudgetAlert.objects.order_by("id").values_list("percent", flat=True)
    assert list(alerts) == [50, 80]
    book(experiment, budget // 10)
    assert list(alerts.all()) == [50, 80, 100]


def test_a_new_budget_warns_again_of_thresholds_that_it_has_not_reached(priced, play):
    play()
    for times, alerted in ((1 / 0.6, 50), (100, 0)):
        set_experiment(priced, int(priced.cost_nano * times))
        assert Experiment.objects.get().alerted_percent == alerted


def test_a_possibly_billed_answer_is_booked_at_its_maximum(model_run):
    run, _ = model_run(StubAnswer(raw=b"not JSON"), priced=PRICES)
    exchange = Exchange.objects.get()
    assert exchange.state == "unknown"
    assert exchange.cost_nano == exchange.reserved_nano == run.cost_nano > 0
    assert run.queries == 0


def test_an_error_answer_is_free(model_run):
    run, _ = model_run(StubAnswer(status=500, error="down"), priced=PRICES)
    assert Exchange.objects.get().state == "failed"
    assert (run.cost_nano, run.reserved_nano) == (0, 0)


def test_deleting_an_experiment_keeps_booked_and_open_costs_in_the_month(priced, play):
    play()
    Exchange.objects.create(run=priced, period_index=9, seat="seat_0", attempt=0, step=0, fence=1, reserved_nano=500)
    for model in (Run, Experiment, MonthlySpend):
        model.objects.update(reserved_nano=500)
    experiment_delete(experiment=priced.experiment)
    month = month_row(priced.organization)
    assert (month.cost_nano, month.reserved_nano) == (priced.cost_nano + 500, 0)


def test_an_interrupted_call_is_booked_at_its_maximum_and_frees_its_reservation(priced, play, monkeypatch):
    def interrupt(client, request):
        raise KeyboardInterrupt

    monkeypatch.setattr(Client, "query", interrupt)
    with pytest.raises(KeyboardInterrupt):
        play()
    priced.refresh_from_db()
    call = Exchange.objects.get()
    assert (call.state, call.cost_nano) == ("unknown", call.reserved_nano)
    assert (priced.cost_nano, priced.reserved_nano) == (call.reserved_nano, 0)
