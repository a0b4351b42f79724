"""Budgets on the pages of experiments and runs: what is spent, what stopped, and what raising one does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.django_db

DOLLAR = 1_000_000_000


def opened(page: Any, experiment: Any) -> str:
    return page.get(f"/experiments/{experiment.pk}/").content.decode()


def test_booked_cap_reserved_and_the_last_warning_stand_at_the_top(page: Any, billed: Callable[..., Any]) -> None:
    experiment = billed()
    assert "<span>$0.40 reserved</span>" in opened(page, experiment)
    type(experiment).objects.update(budget_nano=DOLLAR, alerted_percent=80)
    text = opened(page, experiment)
    assert "of $1.00 cap" in text and "<span>$0.40 reserved</span>" in text
    assert "84 % of the budget of $1.00 is spent." in text


@pytest.mark.parametrize(
    ("cause", "reason", "words"),
    [
        ("budget", "The experiment has spent $1.", "aused: budget"),
        ("key", "The key was refused.", "aused: key"),
        ("person", "Paused by alice.", "aused by alice"),
    ],
)
def test_what_paused_a_run_is_told_in_the_list_the_reasons_and_on_its_page(
    page: Any, painted: Callable[..., Any], cause: str, reason: str, words: str
) -> None:
    experiment = painted("gpt-5", states=("paused",))
    experiment.runs.update(pause_cause=cause, reason=reason)
    text = opened(page, experiment)
    assert f"P{words}" in text
    assert f"1 run p{words}" in text
    assert f"P{words}" in page.get(f"/runs/{experiment.runs.get().pk}/").content.decode()


def test_budget_pauses_with_different_amounts_are_one_reason(page: Any, painted: Callable[..., Any]) -> None:
    experiment = painted("gpt-5", seeds=(0, 1, 2), states=("paused",))
    for run in experiment.runs.all():
        reason = f"The experiment has spent $1.0{run.pk % 9}."
        type(run).objects.filter(pk=run.pk).update(pause_cause="budget", reason=reason)
    assert "3 runs paused: budget" in opened(page, experiment)


def test_the_dialog_and_the_message_say_how_many_runs_a_raise_lets_go_on(
    page: Any, painted: Callable[..., Any]
) -> None:
    experiment = painted("gpt-5", seeds=(0, 1), states=("paused",))
    experiment.runs.update(pause_cause="budget")
    assert "Raising it resumes 2 runs that a budget paused." in opened(page, experiment)
    response = page.post(f"/experiments/{experiment.pk}/budget/", {"budget": "5"}, follow=True)
    assert "is $5.00 now. 2 runs go on that a budget had paused." in response.content.decode()
    assert set(experiment.runs.values_list("state", flat=True)) == {"queued"}


def test_a_run_has_a_budget_of_its_own(page: Any, painted: Callable[..., Any]) -> None:
    run = painted("gpt-5", states=("paused",)).runs.get()
    type(run).objects.update(pause_cause="budget")
    response = page.post(f"/runs/{run.pk}/budget/", {"budget": "0.50"}, follow=True)
    assert "The budget of this run is $0.50 now. 1 run goes on" in response.content.decode()
    assert "of $0.50 cap" in response.content.decode()
    assert "at least one cent" in page.post(f"/runs/{run.pk}/budget/", {"budget": "-1"}, follow=True).content.decode()


def test_a_baseline_has_neither_budget_nor_ledger(page: Any, painted: Callable[..., Any]) -> None:
    run = painted("random", states=("paused",)).runs.get()
    text = page.get(f"/runs/{run.pk}/").content.decode()
    assert "act-budget" not in text and "act-ledger" not in text
