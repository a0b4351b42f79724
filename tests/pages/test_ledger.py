"""The ledger: every call of a model with what was reserved and booked for it; the sums agree with the budgets."""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.django_db

WASTE_WORDS = (
    "Booked at its maximum.",
    "The worker stopped during the call; booked at its maximum.",
    "The reply came late",
)


def ledger(client: Any, experiment: Any, **asked: Any) -> Any:
    return client.get(f"/experiments/{experiment.pk}/ledger/", asked)


def test_the_sums_agree_with_what_the_experiment_has_booked_and_reserved(page: Any, billed: Callable[..., Any]) -> None:
    experiment = billed(seeds=(0, 1, 2))
    totals = ledger(page, experiment).context["totals"]
    assert totals.booked_nano == experiment.cost_nano > 0
    assert totals.reserved_nano == experiment.reserved_nano > 0
    assert totals.all_calls == 18
    assert [(kind, calls) for kind, calls, _ in totals.waste_kinds] == [
        ("outcome unknown", 3),
        ("lost", 3),
        ("late", 3),
    ]


def test_calls_that_the_engine_made_are_all_in_the_ledger(page: Any, launch: Any, model_agent: Any) -> None:
    from decimal import Decimal

    from runs.engine.advance import advance
    from tests.scripted_player import ScriptedPlayer
    from tests.stub_provider import StubProvider

    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub, input_price=Decimal(10), output_price=Decimal(10))
        experiment = launch(agent.slug, "random", periods=2)
        for run_id in experiment.runs.values_list("id", flat=True):
            advance(run_id)
    experiment.refresh_from_db()
    totals = ledger(page, experiment).context["totals"]
    assert (totals.booked_nano, totals.reserved_nano) == (experiment.cost_nano, 0)
    assert totals.all_calls == stub.count


def test_waste_is_marked_and_says_why(page: Any, billed: Callable[..., Any]) -> None:
    text = ledger(page, billed()).content.decode()
    assert text.count('class="waste"') == 3
    for words in (*WASTE_WORDS, "=The provider said unknown.", "The provider answered an error and bills nothing."):
        assert words in text


def test_baselines_cost_nothing_and_are_left_out(page: Any, played: Callable[..., Any]) -> None:
    experiment = played("random")
    assert experiment.runs.get().exchanges.exists()
    text = ledger(page, experiment).content.decode()
    assert "No model calls yet." in text


def test_in_a_market_of_two_the_baseline_s_seat_is_left_out(page: Any, launch: Any, agent: Any) -> None:
    from runs.models import Exchange

    market = {"environments": ("collusiveness_vs_competitiveness",), "difficulties": ("STANDARD",)}
    experiment = launch("gpt-5", rival=agent("collusion-best-response"), **market)
    run = experiment.runs.get()
    for seat in ("seat_0", "seat_1"):
        place = {"period_index": 0, "attempt": 0, "step": 0, "fence": 1}
        Exchange.objects.create(run=run, agent=run.agent_in(seat), seat=seat, state="replied", cost_nano=5, **place)
    response = ledger(page, experiment)
    assert [(row.agent, row.seat) for row in response.context["page"].object_list] == [("GPT-5", "seat 0")]


@pytest.mark.parametrize(
    ("asked", "calls"),
    [
        ({"state": "waste"}, 6),
        ({"state": "failed"}, 2),
        ({"agent": "gpt-4o"}, 6),
        ({"agent": "gpt-4o", "state": "late"}, 1),
        ({"state": "nothing", "sort": "nothing", "page": "x", "run": "x"}, 12),
    ],
)
def test_filters(page: Any, billed: Callable[..., Any], asked: dict[str, str], calls: int) -> None:
    experiment = billed("gpt-5", "gpt-4o")
    assert len(ledger(page, experiment, **asked).context["page"].object_list) == calls


def test_one_run_is_picked_out_and_a_foreign_one_is_not_there(page: Any, billed: Callable[..., Any]) -> None:
    experiment, other = billed(seeds=(0, 1)), billed()
    run = experiment.runs.first()
    assert {row.run_id for row in ledger(page, experiment, run=run.pk).context["page"].object_list} == {run.pk}
    assert ledger(page, experiment, run=other.runs.get().pk).status_code == 404
    assert ledger(page, experiment, agent="nobody").status_code == 404


def test_pages_and_order_hold_from_both_ends(page: Any, billed: Callable[..., Any]) -> None:
    experiment = billed(calls=("replied",) * 120)
    for sort, backwards in (("-time", True), ("time", False), ("-cost", True)):
        pages = [ledger(page, experiment, sort=sort, page=number).context["page"] for number in (1, 2, 3)]
        ids = [row.id for found in pages for row in found.object_list]
        assert [len(found.object_list) for found in pages] == [50, 50, 20]
        assert ids == sorted(ids, reverse=backwards)


def test_the_csv_holds_the_whole_selection_and_no_formula(page: Any, billed: Callable[..., Any]) -> None:
    experiment = billed(calls=("unknown",) * 60)
    experiment.organization.agents.filter(slug="gpt-5").update(name="=1+1")
    response = page.get(f"/experiments/{experiment.pk}/ledger/ledger.csv", {"state": "waste", "page": 2})
    assert response.streaming
    rows = list(csv.DictReader(b"".join(response.streaming_content).decode().splitlines()))
    assert len(rows) == 60
    assert {row["agent"] for row in rows} == {"'=1+1"}
    assert sum(int(row["booked_usd"].replace(".", "")) for row in rows) == experiment.cost_nano


def test_the_organization_s_ledger_holds_all_experiments_and_nothing_of_others(
    page: Any, stranger: Any, billed: Callable[..., Any]
) -> None:
    first, second = billed(), billed(seeds=(5,))
    assert page.get("/ledger/").context["totals"].booked_nano == first.cost_nano + second.cost_nano
    assert stranger.get("/ledger/").context["totals"].all_calls == 0
    assert stranger.get("/ledger/", {"run": first.runs.get().pk}).status_code == 404
    assert "No model calls yet." in stranger.get("/ledger/").content.decode()
