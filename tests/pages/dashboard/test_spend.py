"""The spend page, budgets of experiments and runs, and audit entries about money."""

from datetime import date

import pytest
from django.db import transaction

from accounts.models import AuditEntry, Membership
from runs.models import BudgetAlert, MonthlySpend
from runs.services.budgets import experiment_set_budget, month_row
from runs.services.deletions import experiment_delete
from tests.pages.dashboard.conftest import experiment_page

DOLLAR = 1_000_000_000


def test_an_empty_month_explains_its_empty_tables(page):
    text = page.get("/spend/").text
    for sentence in ("Nothing was spent this month.", "No model calls this month.", "No budget alerts."):
        assert sentence in text


def test_members_agents_and_experiments_sum_up_to_the_month(page, billed):
    first, second = billed("gpt-5", "gpt-4o"), billed("gpt-5", seeds=(3,))
    context = page.get("/spend/").context
    total = first.cost_nano + second.cost_nano
    assert context["whole"].cost_nano == total
    assert sum(row.spent.cost_nano for row in context["members"]) == total
    assert sum(row.cost for row in context["agents"]) == total
    assert {row.name: row.cost for row in context["page"].object_list}[first.name] == first.cost_nano
    assert all(0 < row.waste < row.cost for row in context["agents"])


def test_a_deleted_experiment_stays_in_the_month(page, billed):
    experiment = billed(calls=("replied",))
    cost = experiment.cost_nano
    experiment_delete(experiment=experiment)
    context = page.get("/spend/").context
    assert context["whole"].cost_nano == cost
    assert [(row.name, row.cost) for row in context["page"].object_list] == [("Deleted experiments", cost)]


def test_costs_of_the_command_line_belong_to_no_member(page, billed, organization):
    MonthlySpend.objects.filter(pk=month_row(organization).pk).update(cost_nano=DOLLAR)
    response = page.get("/spend/")
    assert response.context["unowned"].cost_nano == DOLLAR
    assert "From the command line" in response.text


def test_the_address_selects_the_month(page, organization):
    MonthlySpend.objects.create(organization=organization, month=date(2020, 5, 1), cost_nano=3 * DOLLAR)
    response = page.get("/spend/", {"month": "2020-05"})
    assert "Costs in May 2020" in response.text
    assert response.context["whole"].cost_nano == 3 * DOLLAR
    assert page.get("/spend/", {"month": "never", "alerts": "x", "sort": "x"}).status_code == 200


@pytest.mark.long
def test_an_owner_sets_both_budgets_and_reads_how_many_runs_continue(page, billed, organization):
    billed().runs.update(state="paused", pause_cause="budget")
    member = organization.memberships.get()
    for address, typed, words in (
        ("", "50", "is $50.00 now. 1 run goes on that a budget had paused."),
        (f"members/{member.pk}/", "20", "The monthly budget of alice is $20.00 now."),
        ("", "-1", "at least one cent"),
    ):
        assert words in page.post(f"/spend/{address}budget/", {"budget": typed}, follow=True).text
    organization.refresh_from_db()
    member.refresh_from_db()
    assert (organization.monthly_budget_nano, member.monthly_budget_nano) == (50 * DOLLAR, 20 * DOLLAR)
    assert "of $50.00" in page.get("/").text


def test_editors_and_viewers_see_the_page_but_cannot_change_budgets(viewer):
    for role in ("viewer", "editor"):
        Membership.objects.filter(role__in=("viewer", "editor")).update(role=role)
        assert "popovertarget" not in viewer.get("/spend/").text
        response = viewer.post("/spend/budget/", {"budget": "5"})
        assert "Only owners of the organization may do this." in response.text


def test_alerts_are_listed_with_the_owner_of_their_budget(page, billed, organization):
    experiment = billed()
    common = {"organization": organization, "budget_nano": DOLLAR, "cost_nano": DOLLAR // 2}
    BudgetAlert.objects.create(experiment=experiment, percent=50, **common)
    BudgetAlert.objects.create(monthly_spend=organization.monthly_spend.get(user=None), percent=80, **common)
    rows = page.get("/spend/").context["alerts"].object_list
    assert [row.subject.split(",")[0] for row in rows] == ["The organization", experiment.name.split(",")[0]]


@pytest.mark.long
def test_the_experiment_page_shows_cap_reserved_money_and_the_last_warning(page, billed):
    experiment = billed()
    assert "<span>$0.40 reserved</span>" in experiment_page(page, experiment)
    type(experiment).objects.update(budget_nano=DOLLAR, alerted_percent=80)
    text = experiment_page(page, experiment)
    assert "of $1.00 cap" in text and "<span>$0.40 reserved</span>" in text
    assert "84 % of the budget of $1.00 is spent." in text


@pytest.mark.long
def test_the_cause_of_a_pause_appears_in_lists_reasons_and_the_run_page(page, painted):
    experiment = painted("gpt-5", states=("paused",))
    for cause, reason, words in (
        ("budget", "The experiment has spent $1.", "aused: budget"),
        ("key", "The key was refused.", "aused: key"),
        ("person", "Paused by alice.", "aused by alice"),
    ):
        experiment.runs.update(pause_cause=cause, reason=reason)
        text = experiment_page(page, experiment)
        assert f"P{words}" in text and f"1 run p{words}" in text
        assert f"P{words}" in page.get(f"/runs/{experiment.runs.get().pk}/").text


@pytest.mark.long
def test_budget_pauses_are_a_single_reason_and_a_raise_counts_resumed_runs(page, painted):
    experiment = painted("gpt-5", seeds=(0, 1), states=("paused",))
    for run in experiment.runs.all():
        reason = f"The experiment has spent $1.0{run.pk % 9}."
        type(run).objects.filter(pk=run.pk).update(pause_cause="budget", reason=reason)
    text = experiment_page(page, experiment)
    assert "2 runs paused: budget" in text and "Raising it resumes 2 runs that a budget paused." in text
    response = page.post(f"/experiments/{experiment.pk}/budget/", {"budget": "5"}, follow=True)
    assert "is $5.00 now. 2 runs go on that a budget had paused." in response.text
    assert set(experiment.runs.values_list("state", flat=True)) == {"queued"}


@pytest.mark.long
def test_a_run_has_its_own_budget(page, painted):
    run = painted("gpt-5", states=("paused",)).runs.get()
    type(run).objects.update(pause_cause="budget")
    response = page.post(f"/runs/{run.pk}/budget/", {"budget": "0.50"}, follow=True)
    assert "The budget of this run is $0.50 now. 1 run goes on" in response.text
    assert "of $0.50 cap" in response.text
    assert "at least one cent" in page.post(f"/runs/{run.pk}/budget/", {"budget": "-1"}, follow=True).text


def test_a_baseline_has_neither_budget_nor_ledger(page, painted):
    run = painted("random", states=("paused",)).runs.get()
    text = page.get(f"/runs/{run.pk}/").text
    assert "act-budget" not in text and "act-ledger" not in text


@pytest.fixture
def entries(organization):
    """The entries since the organization was made."""
    AuditEntry.objects.all().delete()
    return lambda: list(AuditEntry.objects.order_by("id").values_list("actor_name", "action", "subject"))


def test_every_budget_change_leaves_an_entry(page, organization, launch, entries):
    experiment = launch("random")
    run, member = experiment.runs.get(), organization.memberships.get()
    for typed in ("100", ""):
        page.post("/spend/budget/", {"budget": typed})
    page.post(f"/spend/members/{member.pk}/budget/", {"budget": "25.50"})
    for typed in ("", "-1", "word", "5", "5", "-3", ""):
        page.post(f"/experiments/{experiment.pk}/budget/", {"budget": typed})
    page.post(f"/runs/{run.pk}/budget/", {"budget": "2"})
    assert entries() == [
        ("alice", "budget.changed", "Organization, a month: none → $100.00"),
        ("alice", "budget.changed", "Organization, a month: $100.00 → none"),
        ("alice", "budget.changed", "alice, a month: none → $25.50"),
        ("alice", "budget.changed", f"Experiment {experiment.name}: none → $5.00"),
        ("alice", "budget.changed", f"Experiment {experiment.name}: $5.00 → none"),
        ("alice", "budget.changed", f"Run {run.pk} of {experiment.name}: none → $2.00"),
    ]
    experiment.refresh_from_db()
    assert experiment.budget_nano is None


def test_a_price_change_leaves_an_entry_with_both_prices(page, organization, entries):
    agent = organization.agents.get(slug="gpt-5")
    same = {"name": agent.name, "endpoint": agent.endpoint_id, "model": agent.model, "temperature": "1"}
    same |= {"reasoning": "on", "release_date": agent.release_date}
    for typed in ({"input_price": "2", "cached_price": "", "output_price": "8"}, {}):
        page.post(f"/agents/{agent.pk}/edit/", same | typed)
    said = [subject for who, action, subject in entries() if (who, action) == ("alice", "agent.changed")]
    own, listed = "$2 in, $8 out a million tokens", "$1.25 in, $0.125 cached, $10 out a million tokens"
    assert said == [f"GPT-5: {listed} → {own}", f"GPT-5: {own} → {listed}"]


def test_a_deleted_experiment_leaves_an_entry_with_its_name(page, launch, entries):
    experiment = launch("random", seeds=(0, 1))
    page.post(f"/experiments/{experiment.pk}/delete/")
    assert entries() == [("alice", "experiment.deleted", f"{experiment.name}, 2 runs")]


def test_a_failed_action_leaves_no_entry(organization, launch, entries):
    """The entry is in the transaction of the action."""
    experiment = launch("random")
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        experiment_set_budget(experiment=experiment, budget_nano=10**9)
        1 / 0  # noqa: B018
    assert entries() == []
