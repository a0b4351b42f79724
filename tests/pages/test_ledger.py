"""Calls and money: the ledger, calls without a reply, and how far the estimate of a launch was off."""

import csv
from decimal import Decimal

import pytest

from dashboard.selectors.calls import call_lines
from dashboard.selectors.hindsight import off
from runs.engine.advance import advance
from runs.models import Exchange
from runs.rebuilding import rebuild
from runs.transcripts import period_transcripts

WASTE_WORDS = (
    "Booked at its maximum.",
    "The worker stopped during the call; booked at its maximum.",
    "The reply came late",
)


def ledger(client, experiment, **asked):
    return client.get(f"/experiments/{experiment.pk}/ledger/", asked)


def test_the_sums_agree_with_what_the_experiment_has_booked_and_reserved(page, billed):
    experiment = billed(seeds=(0, 1, 2))
    totals = ledger(page, experiment).context["totals"]
    assert totals.booked_nano == experiment.cost_nano > 0
    assert totals.reserved_nano == experiment.reserved_nano > 0
    assert totals.count() == 18
    kinds = [(kind, calls) for kind, calls, _ in totals.waste_kinds]
    assert kinds == [("outcome unknown", 3), ("lost", 3), ("late", 3)]


def test_calls_that_the_engine_made_are_all_in_the_ledger(page, launch, model_agent, stub):
    agent = model_agent(stub, input_price=Decimal(10), output_price=Decimal(10))
    experiment = launch(agent.slug, "random", periods=2)
    for run_id in experiment.runs.values_list("id", flat=True):
        advance(run_id)
    experiment.refresh_from_db()
    totals = ledger(page, experiment).context["totals"]
    assert (totals.booked_nano, totals.reserved_nano) == (experiment.cost_nano, 0)
    assert totals.count() == stub.count


def test_waste_is_marked_and_says_why(page, billed):
    text = ledger(page, billed()).text
    assert text.count('class="waste"') == 3
    for words in (*WASTE_WORDS, "=The provider said unknown.", "The provider answered an error and bills nothing."):
        assert words in text


def test_baselines_cost_nothing_and_are_left_out(page, played):
    experiment = played("random")
    assert experiment.runs.get().exchanges.exists()
    assert "No model calls yet." in ledger(page, experiment).text


def test_in_a_market_of_two_the_baseline_s_seat_is_left_out(page, launch, agent):
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
def test_filters(page, billed, asked, calls):
    experiment = billed("gpt-5", "gpt-4o")
    assert len(ledger(page, experiment, **asked).context["page"].object_list) == calls


def test_one_run_is_picked_out_and_a_foreign_one_is_not_there(page, billed):
    experiment, other = billed(seeds=(0, 1)), billed()
    run = experiment.runs.first()
    assert {row.run_id for row in ledger(page, experiment, run=run.pk).context["page"].object_list} == {run.pk}
    assert ledger(page, experiment, run=other.runs.get().pk).status_code == 404
    assert ledger(page, experiment, agent="nobody").status_code == 404


def test_pages_and_order_hold_from_both_ends(page, billed):
    experiment = billed(calls=("replied",) * 120)
    for sort, backwards in (("-time", True), ("time", False), ("-cost", True)):
        pages = [ledger(page, experiment, sort=sort, page=number).context["page"] for number in (1, 2, 3)]
        ids = [row.id for found in pages for row in found.object_list]
        assert [len(found.object_list) for found in pages] == [50, 50, 20]
        assert ids == sorted(ids, reverse=backwards)


def test_the_csv_holds_the_whole_selection_and_no_formula(page, billed):
    experiment = billed(calls=("unknown",) * 60)
    experiment.organization.agents.filter(slug="gpt-5").update(name="=1+1")
    response = page.get(f"/experiments/{experiment.pk}/ledger/ledger.csv", {"state": "waste", "page": 2})
    assert response.streaming
    rows = list(csv.DictReader(b"".join(response.streaming_content).decode().splitlines()))
    assert len(rows) == 60
    assert {row["agent"] for row in rows} == {"'=1+1"}
    assert sum(int(row["booked_usd"].replace(".", "")) for row in rows) == experiment.cost_nano


def test_the_organization_s_ledger_holds_all_experiments_and_nothing_of_others(page, stranger, billed):
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


@pytest.fixture
def run(launch, model_agent, stub):
    """A finished run of a model."""
    agent = model_agent(stub, input_price=Decimal(10), output_price=Decimal(10))
    run = launch(agent.slug, periods=2).runs.get()
    advance(run.pk)
    run.refresh_from_db()
    assert run.state == "finished"
    return run


def sent_before(run, state):
    """The first call of the run was sent once before, with this outcome."""
    first = Exchange.objects.filter(run=run, period_index=0).first()
    Exchange.objects.filter(pk=first.pk).update(send=1)
    first.pk, first.state, first.cost_nano, first.error = None, state, 20_000_000, "No answer came."
    first.reply = first.reply | {"text": "WORDS OF ANOTHER WORLD"} if state == "late" else None
    first.results = None
    first.save(force_insert=True)


@pytest.mark.parametrize("state", LINES)
def test_one_muted_line_and_the_chat_is_the_same(page, run, state):
    address = f"/runs/{run.pk}/periods/0/"
    calls = call_lines(run, 0)
    (before,) = period_transcripts(run, 0).values()
    sent_before(run, state)
    assert [call for call in call_lines(run, 0) if call.number] == calls
    (after,) = period_transcripts(run, 0).values()
    assert [item.calls for item in after.exchanges if item.is_step] == [item.calls for item in before.exchanges]
    for tab in ("notes", "transcript"):
        text = page.get(address, {"tab": tab}).text
        assert text.count(LINES[state]) == 1
        assert "No answer came." in text and "WORDS OF ANOTHER WORLD" not in text


def test_a_late_reply_does_not_become_a_step_when_the_run_is_rebuilt(run):
    before = rebuild(run).outcomes
    sent_before(run, "late")
    assert rebuild(run).outcomes == before


TITLE = "Estimate and outcome"


def test_a_finished_experiment_shows_its_estimate_beside_what_it_took(page, launch, model_agent, stub):
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


def test_baselines_and_experiments_without_an_estimate_show_nothing(page, launch):
    experiment = launch("random", periods=2)
    advance(experiment.runs.get().pk)
    for estimate in (experiment.estimate, None):
        experiment.estimate = estimate
        experiment.save()
        assert TITLE not in page.get(f"/experiments/{experiment.pk}/").text


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        (100, 100, "as expected"),
        (100, 100.4, "as expected"),
        (100, 88, "12 % less"),
        (100, 140, "40 % more"),
        (100, 350, "3.5 times as much"),
        (0, 0, "as expected"),
        (0, 3, "more"),
    ],
)
def test_the_difference_is_told_in_words(expected, actual, words):
    assert off(expected, actual) == words
