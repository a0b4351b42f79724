"""The run page: every period has an address, everything a period holds can be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.django_db

ENVIRONMENTS = ("procurement", "scheduling", "pricing")


@pytest.mark.parametrize("environment", ENVIRONMENTS)
@pytest.mark.parametrize("tab", ["notes", "transcript", "raw"])
def test_every_period_opens_in_every_environment(
    page: Any, played: Callable[..., Any], environment: str, tab: str
) -> None:
    run = played("random", environments=(environment,), periods=3).runs.get()
    for index in range(3):
        response = page.get(f"/runs/{run.pk}/periods/{index}/?tab={tab}")
        assert response.status_code == 200
        assert f"What happened in period {index}" in response.content.decode()
    assert page.get(f"/runs/{run.pk}/periods/3/").status_code == 404


@pytest.mark.parametrize("environment", ENVIRONMENTS)
def test_hidden_truth_opens_on_demand_only(page: Any, played: Callable[..., Any], environment: str) -> None:
    run = played("random", environments=(environment,)).runs.get()
    assert "The agent never saw any of this" not in page.get(f"/runs/{run.pk}/").content.decode()
    assert "The agent never saw any of this" in page.get(f"/runs/{run.pk}/hidden/").content.decode()


def test_a_period_alone_is_sent_to_htmx_with_its_address(page: Any, played: Callable[..., Any]) -> None:
    run = played("random").runs.get()
    response = page.get(f"/runs/{run.pk}/periods/1/", headers={"HX-Request": "true"})
    text = response.content.decode()
    assert "<html" not in text
    assert 'id="happened"' in text and 'hx-swap-oob="true"' in text
    assert response["HX-Push-Url"] == f"/runs/{run.pk}/periods/1/"
    assert "HX-Request" in response["Vary"]


def test_a_period_not_played_yet_waits_without_moving_the_reader(page: Any, launch: Callable[..., Any]) -> None:
    run = launch("random").runs.get()
    text = page.get(f"/runs/{run.pk}/periods/2/").content.decode()
    assert "has not been played yet" in text
    assert 'hx-trigger="every 3s"' in text


def test_notes_can_be_read_searched_and_do_no_harm(page: Any, played: Callable[..., Any]) -> None:
    from runs.models import Note

    run = played("random").runs.get()
    Note.objects.create(
        run=run, period_index=2, seat="seat_0", order=9, text="<script>alert(1)</script> a drifting price"
    )
    for address in (f"/runs/{run.pk}/notes/", f"/runs/{run.pk}/notes/?text=DRIFTING", f"/runs/{run.pk}/periods/2/"):
        text = page.get(address).content.decode()
        assert "drifting" in text
        assert "<script>alert" not in text
    assert "No note of this run contains" in page.get(f"/runs/{run.pk}/notes/?text=nothing+such").content.decode()


def test_a_period_is_downloaded_as_json(page: Any, played: Callable[..., Any]) -> None:
    run = played("pricing-constant").runs.get()
    data = page.get(f"/runs/{run.pk}/periods/0/period.json").json()
    assert data["environment"] == "pricing"
    assert set(data["action"]) == {"Product_1"}
    assert data["notes"]
    assert page.get(f"/runs/{run.pk}/periods/50/period.json").status_code == 404


def test_jumping_by_number(page: Any, played: Callable[..., Any]) -> None:
    run = played("random").runs.get()
    assert page.get(f"/runs/{run.pk}/?period=2")["Location"] == f"/runs/{run.pk}/periods/2/"
    assert page.get(f"/runs/{run.pk}/?period=9999")["Location"] == f"/runs/{run.pk}/periods/3/"


def test_of_a_finished_run_nothing_but_its_comments_is_asked_for_again(page: Any, played: Callable[..., Any]) -> None:
    run = played("random").runs.get()
    text = page.get(f"/runs/{run.pk}/").content.decode()
    assert re.findall(r'hx-trigger="(every [^"]*)"', text) == ["every 20s"]
    assert re.findall(r'id="([^"]*)"\s+data-poll', text) == [f"comment-list-run-{run.pk}"]


def test_the_period_a_run_stopped_in_can_be_looked_at(page: Any, played: Callable[..., Any]) -> None:
    from runs.models import Run

    run = played("random", periods=6).runs.get()
    Run.objects.filter(pk=run.pk).update(state="stalled", periods_played=4, reason="No valid action in period 4.")
    text = page.get(f"/runs/{run.pk}/").content.decode()
    assert "No valid action in period 4." in text
    assert "Where it stopped" in text
    assert f"/runs/{run.pk}/periods/4/" in text


def test_what_happened_names_prices_optima_and_shares(page: Any, played: Callable[..., Any]) -> None:
    run = played("optimum").runs.get()
    text = page.get(f"/runs/{run.pk}/periods/0/").content.decode()
    for heading in ("Optimal price", "Optimal profit", "Share"):
        assert heading in text
    assert "100.0 %" in text


def test_an_infeasible_plan_says_why(page: Any, played: Callable[..., Any]) -> None:
    from runs.models import Period

    run = played("random", environments=("procurement",), periods=2).runs.get()
    period = Period.objects.get(run=run, index=1)
    period.result |= {"feasible": False, "reasons": ["it costs too much"], "share_of_optimum": 0.0}
    period.save()
    assert "Infeasible: it costs too much." in page.get(f"/runs/{run.pk}/periods/1/").content.decode()
