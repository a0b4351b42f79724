"""The ledger of calls, calls without a reply, and the estimate of a launch against actual use."""

import csv

import pytest

from pages.dashboard.selectors.experiments import off
from pages.dashboard.selectors.runs.calls import call_lines
from runs.engine.advance import advance
from runs.models import Agent, Exchange
from runs.rebuilding import rebuild
from runs.transcripts import period_transcripts


def ledger(client, experiment, **asked):
    return client.get(f"/experiments/{experiment.pk}/ledger/", asked)


def test_ledger_totals_agree_with_booked_and_reserved_money(page, billed):
    experiment = billed(seeds=(0, 1, 2))
    totals = ledger(page, experiment).context["totals"]
    assert totals.booked_nano == experiment.cost_nano > 0
    assert totals.reserved_nano == experiment.reserved_nano > 0
    assert totals.count() == 18
    kinds = [(kind, calls) for kind, calls, _ in totals.waste_kinds]
    assert kinds == [("outcome unknown", 3), ("lost", 3), ("late", 3)]


@pytest.mark.long
def test_the_ledger_has_every_call_of_the_engine(page, launch, model_agent, stub):
    experiment = launch(model_agent(stub, input_price=10, output_price=10).slug, "random", periods=2)
    for run_id in experiment.runs.values_list("id", flat=True):
        advance(run_id)
    experiment.refresh_from_db()
    totals = ledger(page, experiment).context["totals"]
    assert (totals.booked_nano, totals.reserved_nano) == (experiment.cost_nano, 0)
    assert totals.count() == stub.count


def test_waste_is_marked_with_its_reason(page, billed):
    text = ledger(page, billed()).text
    assert text.count('class="waste"') == 3
    for words in (
        "Booked at its maximum.",
        "The worker stopped during the call; booked at its maximum.",
        "The reply came late",
        "=The provider said unknown.",
        "The provider answered an error and bills nothing.",
    ):
        assert words in text


def test_the_ledger_omits_calls_of_baselines_also_in_mixed_markets(page, launch, agent):
    market = {"environments": ("collusiveness_vs_competitiveness",), "difficulties": ("STANDARD",)}
    for slug, rows in (("gpt-5", [("GPT-5", "seat 0")]), ("collusion-nash", [])):
        experiment = launch(slug, rival=agent("collusion-best-response"), **market)
        run = experiment.runs.get()
        for seat in ("seat_0", "seat_1"):
            place = {"period_index": 0, "attempt": 0, "step": 0, "fence": 1}
            Exchange.objects.create(run=run, agent=run.agent_in(seat), seat=seat, state="replied", cost_nano=5, **place)
        response = ledger(page, experiment)
        assert [(row.agent, row.seat) for row in response.context["page"].object_list] == rows
    assert "No model calls yet." in response.text


def test_the_ledger_omits_games_of_people_and_outside_agents(page, billed):
    experiment = billed("gpt-5")
    assert ledger(page, experiment).context["totals"].count() > 0
    for player_class in ("human", "outside"):
        Agent.objects.filter(slug="gpt-5").update(player_class=player_class)
        response = ledger(page, experiment)
        assert response.context["totals"].count() == 0 and not response.context["agents"]


@pytest.mark.long
def test_the_ledger_is_filtered(page, billed):
    experiment = billed("gpt-5", "gpt-4o")
    for asked, calls in (
        ({"state": "waste"}, 6),
        ({"state": "failed"}, 2),
        ({"agent": "gpt-4o"}, 6),
        ({"agent": "gpt-4o", "state": "late"}, 1),
        ({"state": "nothing", "sort": "nothing", "page": "x", "run": "x"}, 12),
    ):
        assert len(ledger(page, experiment, **asked).context["page"].object_list) == calls, asked


def test_the_ledger_can_be_limited_to_a_run_of_its_experiment(page, billed):
    experiment, other = billed(seeds=(0, 1)), billed()
    run = experiment.runs.first()
    assert {row.run_id for row in ledger(page, experiment, run=run.pk).context["page"].object_list} == {run.pk}
    assert ledger(page, experiment, run=other.runs.get().pk).status_code == 404
    assert ledger(page, experiment, agent="nobody").status_code == 404


@pytest.mark.long
def test_pages_and_order_agree_from_both_ends(page, billed):
    experiment = billed(calls=("replied",) * 120)
    for sort, backwards in (("-time", True), ("time", False), ("-cost", True)):
        pages = [ledger(page, experiment, sort=sort, page=number).context["page"] for number in (1, 2, 3)]
        ids = [row.id for found in pages for row in found.object_list]
        assert [len(found.object_list) for found in pages] == [50, 50, 20]
        assert ids == sorted(ids, reverse=backwards)


def test_the_csv_has_the_full_selection_and_no_formulas(page, billed):
    experiment = billed(calls=("unknown",) * 60)
    experiment.organization.agents.filter(slug="gpt-5").update(name="=1+1")
    response = page.get(f"/experiments/{experiment.pk}/ledger/ledger.csv", {"state": "waste", "page": 2})
    assert response.streaming
    rows = list(csv.DictReader(b"".join(response.streaming_content).decode().splitlines()))
    assert len(rows) == 60
    assert {row["agent"] for row in rows} == {"'=1+1"}
    assert sum(int(row["booked_usd"].replace(".", "")) for row in rows) == experiment.cost_nano


@pytest.mark.long
def test_the_ledger_of_an_organization_has_all_its_experiments_and_no_others(page, stranger, billed):
    first, second = billed(), billed(seeds=(5,))
    assert page.get("/ledger/").context["totals"].booked_nano == first.cost_nano + second.cost_nano
    assert stranger.get("/ledger/").context["totals"].count() == 0
    assert stranger.get("/ledger/", {"run": first.runs.get().pk}).status_code == 404
    assert "No model calls yet." in stranger.get("/ledger/").text


LINES = {
    "failed": "sent, failed, nothing billed; sent again",
    "unknown": "sent, outcome unknown, booked $0.0200; sent again",
    "lost": "sent, worker stopped, booked $0.0200; sent again",
    "late": "sent, reply came late, booked $0.0200; sent again",
}


@pytest.mark.long
def test_a_repeated_call_is_a_muted_line_and_does_not_change_the_run(page, launch, model_agent, stub):
    run = launch(model_agent(stub, input_price=10, output_price=10).slug, periods=2).runs.get()
    advance(run.pk)
    run.refresh_from_db()
    assert run.state == "finished"
    calls, outcomes = call_lines(run, 0), rebuild(run).outcomes
    (before,) = period_transcripts(run, 0).values()
    first = Exchange.objects.filter(run=run, period_index=0).first()
    Exchange.objects.filter(pk=first.pk).update(send=len(LINES))
    first.cost_nano, first.error, first.results, reply = 20_000_000, "No answer came.", None, first.reply
    for first.send, first.state in enumerate(LINES):
        first.pk, first.reply = None, reply | {"text": "WORDS OF ANOTHER WORLD"} if first.state == "late" else None
        first.save(force_insert=True)
    assert [call for call in call_lines(run, 0) if call.number] == calls
    assert rebuild(run).outcomes == outcomes
    (after,) = period_transcripts(run, 0).values()
    assert [item.calls for item in after.exchanges if item.is_step] == [item.calls for item in before.exchanges]
    for tab in ("notes", "transcript"):
        text = page.get(f"/runs/{run.pk}/periods/0/", {"tab": tab}).text
        assert [text.count(line) for line in LINES.values()] == [1] * len(LINES)
        assert "No answer came." in text and "WORDS OF ANOTHER WORLD" not in text


TITLE = "Estimate and outcome"


@pytest.mark.long
def test_a_finished_experiment_shows_its_estimate_beside_actual_use(page, launch, model_agent, stub):
    experiment = launch(model_agent(stub, input_price=2, output_price=8).slug, periods=3)
    assert TITLE not in page.get(f"/experiments/{experiment.pk}/").text
    run = experiment.runs.get()
    advance(run.pk)
    run.refresh_from_db()
    experiment.refresh_from_db()
    assert run.state == "finished"
    # Played by the real engine through a real server.
    assert experiment.estimate["calls"] == run.queries == 6
    assert abs(experiment.estimate["input_tokens"] / run.input_tokens - 1) < 0.25
    text = page.get(f"/experiments/{experiment.pk}/").text
    assert TITLE in text
    assert off(experiment.estimate["cost_usd"]["expected"], experiment.cost_nano / 1e9) in text
    assert f"<td>{off(experiment.estimate['input_tokens'], run.input_tokens)}</td>" in text


@pytest.mark.long
def test_baselines_and_experiments_without_an_estimate_have_no_comparison(page, played):
    experiment = played("random", periods=2)
    for estimate in (experiment.estimate, None):
        type(experiment).objects.update(estimate=estimate)
        assert TITLE not in page.get(f"/experiments/{experiment.pk}/").text


def test_the_difference_from_the_estimate_is_described():
    for actual, words in (
        (100.4, "as expected"), (88, "12 % less"), (140, "40 % more"), (350, "3.5 times as much"),
    ):  # fmt: skip
        assert off(100, actual) == words
    assert (off(0, 0), off(0, 3)) == ("as expected", "more")
