"""The experiment page: every state is told apart, polling stops, actions do what they say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.django_db


def test_every_state_has_its_own_cell_and_reason(page: Any, painted: Callable[..., Any]) -> None:
    experiment = painted("random", "optimum", seeds=(0, 1, 2, 3))
    text = page.get(f"/experiments/{experiment.pk}/").content.decode()
    for state in ("running", "queued", "waiting", "paused", "errored", "stalled", "cancelled"):
        assert f'class="cell {state} fill-' in text
    for state in ("waiting", "paused", "stalled", "errored"):
        assert f"The reason of a {state} run." in text
    assert "score 90.0" in text


def test_the_page_polls_while_runs_are_active_and_then_no_more(page: Any, painted: Callable[..., Any]) -> None:
    going = painted("random", states=("running",))
    over = painted("random", states=("finished",))
    assert 'hx-trigger="every 2s"' in page.get(f"/experiments/{going.pk}/").content.decode()
    assert 'hx-trigger="every' not in page.get(f"/experiments/{over.pk}/").content.decode()


def test_nothing_is_sent_when_nothing_moved(page: Any, painted: Callable[..., Any]) -> None:
    experiment = painted("random", states=("running",))
    live = page.get(f"/experiments/{experiment.pk}/live/")
    version = live.context["version"]
    assert page.get(f"/experiments/{experiment.pk}/live/", {"version": version}).status_code == 204
    experiment.runs.update(state="finished", periods_played=4)
    assert page.get(f"/experiments/{experiment.pk}/live/", {"version": version}).status_code == 200


@pytest.mark.parametrize(
    ("action", "before", "after"),
    [
        ("pause", "queued", "paused"),
        ("resume", "paused", "queued"),
        ("cancel", "queued", "cancelled"),
        ("retry", "errored", "queued"),
    ],
)
def test_actions(page: Any, painted: Callable[..., Any], action: str, before: str, after: str) -> None:
    experiment = painted("random", states=(before,))
    response = page.post(f"/experiments/{experiment.pk}/{action}/", follow=True)
    assert "1 run" in response.content.decode()
    assert experiment.runs.get().state == after


def test_renaming_and_deleting(page: Any, painted: Callable[..., Any], organization: Any) -> None:
    experiment = painted("random")
    page.post(f"/experiments/{experiment.pk}/rename/", {"name": "A better name"})
    experiment.refresh_from_db()
    assert experiment.name == "A better name"
    page.post(f"/experiments/{experiment.pk}/delete/")
    assert not organization.experiments.exists()


def test_a_budget_is_set_changed_and_removed(page: Any, painted: Callable[..., Any]) -> None:
    experiment = painted("random")
    for typed, stored in (("12.50", 12_500_000_000), ("-3", 12_500_000_000), ("", None)):
        page.post(f"/experiments/{experiment.pk}/budget/", {"budget": typed})
        experiment.refresh_from_db()
        assert experiment.budget_nano == stored


def test_scores_are_means_of_finished_runs(page: Any, painted: Callable[..., Any]) -> None:
    from dashboard.selectors.scores import score_table
    from runs.selectors.cells import run_cells

    experiment = painted("random", seeds=(0, 1, 2), states=("finished", "finished", "running"))
    first, second, _ = experiment.runs.order_by("id")
    type(first).objects.filter(pk=second.pk).update(score=0.7)
    (row,) = score_table(run_cells(experiment)).rows
    (cell,) = row.cells
    assert cell is not None
    assert (cell.mean, cell.n, cell.total) == (pytest.approx(0.8), 2, 3)
    assert cell.error == pytest.approx(0.1)


def test_runs_are_found_by_word_and_seed(page: Any, painted: Callable[..., Any]) -> None:
    experiment = painted("random", "optimum", seeds=(0, 7))
    text = page.get(f"/experiments/{experiment.pk}/", {"text": "random 7"}).content.decode()
    listed = text.split('id="run-list"')[1]
    assert listed.count("<tr>") == 2


@pytest.mark.parametrize(
    "address", ["?page=x", "?page=99", "?sort=nothing", "?state=nothing", "?sort=-score", "?text=%00"]
)
def test_odd_addresses_are_answered(page: Any, painted: Callable[..., Any], address: str) -> None:
    experiment = painted("random")
    assert page.get(f"/experiments/{experiment.pk}/{address}").status_code == 200
    assert page.get(f"/experiments/{address}").status_code == 200
