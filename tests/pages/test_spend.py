"""The spend page: the month against its budgets, and on what the money went."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.django_db

DOLLAR = 1_000_000_000


def test_an_empty_month_says_what_would_stand_here(page: Any) -> None:
    text = page.get("/spend/").content.decode()
    for sentence in ("Nothing was spent this month.", "No model calls this month.", "No budget alerts."):
        assert sentence in text


def test_members_agents_and_experiments_sum_up_to_the_month(page: Any, billed: Callable[..., Any]) -> None:
    first, second = billed("gpt-5", "gpt-4o"), billed("gpt-5", seeds=(3,))
    context = page.get("/spend/").context
    total = first.cost_nano + second.cost_nano
    assert context["whole"].cost_nano == total
    assert sum(row.spent.cost_nano for row in context["members"]) == total
    assert sum(row.cost for row in context["agents"]) == total
    assert {row.name: row.cost for row in context["page"].object_list}[first.name] == first.cost_nano
    assert all(0 < row.waste < row.cost for row in context["agents"])


def test_a_deleted_experiment_stays_in_the_month(page: Any, billed: Callable[..., Any]) -> None:
    from runs.services import experiment_delete

    experiment = billed(calls=("replied",))
    cost = experiment.cost_nano
    experiment_delete(experiment=experiment)
    context = page.get("/spend/").context
    assert context["whole"].cost_nano == cost
    assert [(row.name, row.cost) for row in context["page"].object_list] == [("Deleted experiments", cost)]


def test_what_the_command_line_started_is_nobody_s(page: Any, billed: Callable[..., Any], organization: Any) -> None:
    from runs.models import MonthlySpend
    from runs.services.budgets import month_row

    MonthlySpend.objects.filter(pk=month_row(organization).pk).update(cost_nano=DOLLAR)
    response = page.get("/spend/")
    assert response.context["unowned"].cost_nano == DOLLAR
    assert "From the command line" in response.content.decode()


def test_months_are_chosen_in_the_address_bar(page: Any, organization: Any) -> None:
    from datetime import date

    from runs.models import MonthlySpend

    MonthlySpend.objects.create(organization=organization, month=date(2020, 5, 1), cost_nano=3 * DOLLAR)
    response = page.get("/spend/", {"month": "2020-05"})
    assert "Spend in May 2020" in response.content.decode()
    assert response.context["whole"].cost_nano == 3 * DOLLAR
    assert page.get("/spend/", {"month": "never", "alerts": "x", "sort": "x"}).status_code == 200


def test_an_owner_sets_both_budgets_and_is_told_how_many_runs_go_on(
    page: Any, billed: Callable[..., Any], organization: Any
) -> None:
    experiment = billed()
    experiment.runs.update(state="paused", pause_cause="budget")
    response = page.post("/spend/budget/", {"budget": "50"}, follow=True)
    assert "is $50.00 now. 1 run goes on that a budget had paused." in response.content.decode()
    member = organization.memberships.get()
    response = page.post(f"/spend/members/{member.pk}/budget/", {"budget": "20"}, follow=True)
    assert "The monthly budget of alice is $20.00 now." in response.content.decode()
    organization.refresh_from_db()
    member.refresh_from_db()
    assert (organization.monthly_budget_nano, member.monthly_budget_nano) == (50 * DOLLAR, 20 * DOLLAR)
    assert "of $50.00" in page.get("/").content.decode()


def test_a_wrong_budget_is_told_and_changes_nothing(page: Any, organization: Any) -> None:
    response = page.post("/spend/budget/", {"budget": "-1"}, follow=True)
    assert "at least one cent" in response.content.decode()
    organization.refresh_from_db()
    assert organization.monthly_budget_nano is None


def test_others_see_the_page_and_may_change_no_budget(viewer: Any, organization: Any) -> None:
    from accounts.models import Membership

    member = organization.memberships.get(role="owner")
    for role in ("viewer", "editor"):
        Membership.objects.filter(role__in=("viewer", "editor")).update(role=role)
        assert "popovertarget" not in viewer.get("/spend/").content.decode()
        for address in ("/spend/budget/", f"/spend/members/{member.pk}/budget/"):
            response = viewer.post(address, {"budget": "5"})
            assert response.status_code == 403
            assert "Only owners of the organization may do this." in response.content.decode()


def test_a_member_of_another_organization_is_not_there(stranger: Any, organization: Any) -> None:
    member = organization.memberships.get()
    assert stranger.post(f"/spend/members/{member.pk}/budget/", {"budget": "5"}).status_code == 404


def test_alerts_are_listed_with_whose_budget_it_was(page: Any, billed: Callable[..., Any], organization: Any) -> None:
    from runs.models import BudgetAlert

    experiment = billed()
    common = {"organization": organization, "budget_nano": DOLLAR, "cost_nano": DOLLAR // 2}
    BudgetAlert.objects.create(experiment=experiment, percent=50, **common)
    BudgetAlert.objects.create(monthly_spend=organization.monthly_spend.get(user=None), percent=80, **common)
    rows = page.get("/spend/").context["alerts"].object_list
    assert [row.subject.split(",")[0] for row in rows] == ["The organization", experiment.name.split(",")[0]]
