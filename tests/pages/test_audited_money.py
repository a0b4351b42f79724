"""Deeds about money and the loss of an experiment leave entries that say who, what, from and to."""

from __future__ import annotations

from typing import Any

import pytest

from accounts.models import AuditEntry

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _from_now_on(organization: Any) -> None:
    AuditEntry.objects.all().delete()


def entries() -> list[tuple[str, str, str]]:
    return list(AuditEntry.objects.order_by("id").values_list("actor_name", "action", "subject"))


def test_every_budget_leaves_an_entry(page: Any, organization: Any, launch: Any) -> None:
    experiment = launch("random")
    run, member = experiment.runs.get(), organization.memberships.get()
    page.post("/spend/budget/", {"budget": "100"})
    page.post("/spend/budget/", {"budget": ""})
    page.post(f"/spend/members/{member.pk}/budget/", {"budget": "25.50"})
    page.post(f"/experiments/{experiment.pk}/budget/", {"budget": "5"})
    page.post(f"/runs/{run.pk}/budget/", {"budget": "2"})
    assert entries() == [
        ("alice", "budget.changed", "Organization, a month: none → $100.00"),
        ("alice", "budget.changed", "Organization, a month: $100.00 → none"),
        ("alice", "budget.changed", "alice, a month: none → $25.50"),
        ("alice", "budget.changed", f"Experiment {experiment.name}: none → $5.00"),
        ("alice", "budget.changed", f"Run {run.pk} of {experiment.name}: none → $2.00"),
    ]


def test_a_budget_that_stays_or_is_refused_leaves_none(page: Any, launch: Any) -> None:
    experiment = launch("random")
    for typed in ("", "-1", "word"):
        page.post(f"/experiments/{experiment.pk}/budget/", {"budget": typed})
    assert entries() == []


def test_prices_leave_an_entry_with_the_old_and_the_new(page: Any, organization: Any) -> None:
    agent = organization.agents.get(slug="gpt-5")
    for typed in ({"input_price": "2", "cached_price": "", "output_price": "8"}, {}):
        page.post(f"/agents/{agent.pk}/prices/", typed)
    said = [subject for who, action, subject in entries() if (who, action) == ("alice", "prices.changed")]
    assert len(said) == 2
    assert said[0].startswith("GPT-5: $") and said[0].endswith(" → $2 in, $8 out a million tokens")
    assert said[1] == "GPT-5: $2 in, $8 out a million tokens → no prices"


def test_a_deleted_experiment_leaves_an_entry_with_its_name(page: Any, launch: Any) -> None:
    experiment = launch("random", seeds=(0, 1))
    page.post(f"/experiments/{experiment.pk}/delete/")
    assert entries() == [("alice", "experiment.deleted", f"{experiment.name}, 2 runs")]


def test_a_deed_that_fails_leaves_none(organization: Any, launch: Any) -> None:
    """The entry is in the transaction of the deed."""
    from django.db import transaction

    from runs.services import experiment_set_budget

    experiment = launch("random")
    with pytest.raises(ZeroDivisionError), transaction.atomic():
        experiment_set_budget(experiment=experiment, budget_nano=10**9)
        1 / 0  # noqa: B018
    assert entries() == []
