"""A call is sent only where every budget that pays for it has room for the most it may cost."""

from __future__ import annotations

from decimal import Decimal

import pytest

from runs.engine.advance import advance
from runs.models import BudgetAlert, Exchange, Experiment, MonthlySpend, PauseCause, Run, RunState
from runs.services import (
    experiment_delete,
    experiment_set_budget,
    member_set_budget,
    organization_set_budget,
    run_set_budget,
)
from runs.services.budgets import month_row
from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubAnswer, StubProvider

pytestmark = pytest.mark.django_db

DOLLAR = 1_000_000_000


@pytest.fixture
def stub():
    with StubProvider(ScriptedPlayer()) as stub:
        yield stub


@pytest.fixture
def priced(launch, model_agent, stub):
    """A run of four periods with a model that costs $10 per million tokens and writes at most 1,000 of them."""
    agent = model_agent(stub, input_price=Decimal(10), output_price=Decimal(10))
    agent.max_tokens = 1000
    agent.save()
    return launch(agent.slug).runs.get()


def set_experiment(run, nano):
    return experiment_set_budget(experiment=run.experiment, budget_nano=nano)


def set_run(run, nano):
    return run_set_budget(run=run, budget_nano=nano)


def set_member(run, nano):
    return member_set_budget(membership=run.organization.memberships.get(), budget_nano=nano)


def set_organization(run, nano):
    return organization_set_budget(organization=run.organization, budget_nano=nano)


@pytest.mark.parametrize(
    ("put", "named"),
    [
        (set_run, "The run"),
        (set_experiment, "The experiment"),
        (set_member, "The month of who launched this"),
        (set_organization, "The organization's month"),
    ],
)
def test_each_budget_pauses_the_run_and_raising_it_resumes_it(priced, stub, put, named):
    put(priced, int(0.08 * DOLLAR))
    advance(priced.pk)
    priced.refresh_from_db()
    assert (priced.state, priced.pause_cause) == (RunState.PAUSED, PauseCause.BUDGET)
    assert priced.reason.startswith(f"{named} has spent $0.0")
    assert 1 < stub.count < 8
    assert 0 < priced.cost_nano <= 0.08 * DOLLAR
    assert put(priced, DOLLAR) == 1
    advance(priced.pk)
    priced.refresh_from_db()
    assert priced.state == RunState.FINISHED


def test_a_budget_smaller_than_one_call_sends_nothing(priced, stub):
    set_experiment(priced, DOLLAR // 1000)
    advance(priced.pk)
    priced.refresh_from_db()
    assert priced.state == RunState.PAUSED
    assert stub.count == 0 and not Exchange.objects.exists()


def test_every_account_agrees_with_the_calls(priced):
    advance(priced.pk)
    priced.refresh_from_db()
    total = sum(Exchange.objects.values_list("cost_nano", flat=True))
    months = MonthlySpend.objects.values_list("user__username", "cost_nano", "reserved_nano")
    assert total > 0
    assert (priced.cost_nano, priced.reserved_nano) == (total, 0)
    assert Experiment.objects.values_list("cost_nano", "reserved_nano").get() == (total, 0)
    assert sorted(months, key=str) == sorted([(None, total, 0), ("alice", total, 0)], key=str)


def test_a_call_costs_no_more_than_was_reserved_for_it(priced):
    advance(priced.pk)
    for cost, reserved in Exchange.objects.values_list("cost_nano", "reserved_nano"):
        assert 0 < cost <= reserved


def test_calls_in_flight_make_a_run_wait_instead_of_pausing_it(priced, stub):
    set_experiment(priced, DOLLAR)
    Experiment.objects.update(reserved_nano=DOLLAR - 1000)
    advance(priced.pk)
    priced.refresh_from_db()
    assert priced.state == RunState.WAITING
    assert "Calls in flight" in priced.reason
    assert stub.count == 0
    Experiment.objects.update(reserved_nano=0)
    Run.objects.update(wake_at=None)
    advance(priced.pk)
    priced.refresh_from_db()
    assert priced.state == RunState.FINISHED


def test_a_warning_is_given_once_at_half_at_four_fifths_and_at_all_of_a_budget(priced):
    advance(priced.pk)
    spent = Experiment.objects.get().cost_nano
    assert not BudgetAlert.objects.exists()
    experiment = Experiment.objects.get()
    Run.objects.all().delete()
    Experiment.objects.update(cost_nano=0, budget_nano=spent)
    from tests.runs.test_group_commit import book

    for share in (0.4, 0.15, 0.1, 0.2, 0.05):
        book(experiment, int(spent * share))
    alerts = BudgetAlert.objects.order_by("id").values_list("percent", flat=True)
    assert list(alerts) == [50, 80]
    book(experiment, spent // 10)
    assert list(alerts.all()) == [50, 80, 100]


def test_a_new_budget_warns_anew_of_what_it_has_not_passed(priced):
    advance(priced.pk)
    spent = Experiment.objects.get().cost_nano
    experiment_set_budget(experiment=priced.experiment, budget_nano=int(spent / 0.6))
    assert Experiment.objects.get().alerted_percent == 50
    experiment_set_budget(experiment=priced.experiment, budget_nano=100 * spent)
    assert Experiment.objects.get().alerted_percent == 0


def test_an_answer_that_may_be_billed_is_booked_at_its_maximum(launch, model_agent):
    with StubProvider(lambda *_: StubAnswer(raw=b"not JSON")) as stub:
        agent = model_agent(stub, input_price=Decimal(10), output_price=Decimal(10))
        run = launch(agent.slug).runs.get()
        advance(run.pk)
    run.refresh_from_db()
    exchange = Exchange.objects.get()
    assert exchange.state == "unknown"
    assert exchange.cost_nano == exchange.reserved_nano == run.cost_nano > 0
    assert run.queries == 0


def test_three_answers_that_may_each_be_billed_pause_the_run(launch, model_agent):
    with StubProvider(lambda *_: StubAnswer(raw=b"not JSON")) as stub:
        run = launch(model_agent(stub).slug).runs.get()
        for _ in range(5):
            Run.objects.update(wake_at=None)
            advance(run.pk)
    run.refresh_from_db()
    assert stub.count == 3
    assert (run.state, run.pause_cause) == (RunState.PAUSED, PauseCause.ENDPOINT)


def test_an_error_answer_costs_nothing(launch, model_agent):
    with StubProvider(lambda *_: StubAnswer(status=500, error="down")) as stub:
        run = launch(model_agent(stub, input_price=Decimal(10), output_price=Decimal(10)).slug).runs.get()
        advance(run.pk)
    run.refresh_from_db()
    assert Exchange.objects.get().state == "failed"
    assert (run.cost_nano, run.reserved_nano) == (0, 0)


def test_deleting_an_experiment_keeps_its_cost_in_the_month_and_frees_what_was_reserved(priced):
    advance(priced.pk)
    spent = Experiment.objects.get().cost_nano
    sent = Exchange.objects.create(
        run=priced, period_index=9, seat="seat_0", attempt=0, step=0, fence=1, reserved_nano=500
    )
    for model in (Run, Experiment, MonthlySpend):
        model.objects.update(reserved_nano=sent.reserved_nano)
    experiment_delete(experiment=priced.experiment)
    month = month_row(priced.organization)
    assert (month.cost_nano, month.reserved_nano) == (spent + 500, 0)
