"""The cost of thinking is booked with each call, to the cent, as a part of its cost."""

import json
from dataclasses import replace
from decimal import Decimal

import pytest

from agents.llm import Reply, Usage
from agents.prices import PriceList, Rates
from api.resources.ledger import CallRow
from api.schemas.experiments import ExperimentOut
from api.schemas.runs import PeriodOut, RunOut
from runs.engine.calls import set_reply
from runs.models import Agent, Exchange, Period, Run
from runs.selectors.progress import progress_of
from tests.scripted_player import ScriptedPlayer
from workspace.spending.selectors.ledger import rows_of_calls
from workspace.transfer.writing.records import csv_lines, period_records

PRICES = {"input_price": Decimal(2), "output_price": Decimal(10)}
USAGE = {
    "prompt_tokens": 100_000,
    "completion_tokens": 40_000,
    "completion_tokens_details": {"reasoning_tokens": 30_000},
}
CENT = 10_000_000
CALL, THINKING = 60 * CENT, 30 * CENT
"""What a call with USAGE costs at PRICES, and the part of it that is thinking."""


class Thinker(ScriptedPlayer):
    def __call__(self, wire, body, headers):
        return replace(super().__call__(wire, body, headers), usage=USAGE)


@pytest.fixture
def run(model_run):
    return model_run(Thinker(), priced=PRICES, periods=2)[0]


@pytest.mark.parametrize(
    ("usage", "cents", "thinking"),
    [
        (Usage(100_000, output_tokens=40_000, reasoning_tokens=30_000), 60, 30),
        (Usage(100_000, output_tokens=40_000), 60, 0),
        (Usage(100_000, 100_000, output_tokens=40_000, reasoning_tokens=40_000), 42, 40),
        (Usage(300_000, output_tokens=10_000, reasoning_tokens=8_000), 135, 12),
        (Usage(0, output_tokens=10_000, reasoning_tokens=90_000), 10, 10),
    ],
)
def test_thinking_costs_its_tokens_at_the_output_price(usage, cents, thinking):
    prices = PriceList(
        Rates(Decimal(2), Decimal(10), cached=Decimal("0.2")), ((272_000, Rates(Decimal(4), Decimal(15))),)
    )
    assert (prices.nano(usage), prices.thinking_nano(usage)) == (cents * CENT, thinking * CENT)


def test_run_periods_and_calls_store_the_cost_of_their_thinking(run):
    assert run.is_finished and run.queries
    assert set(Exchange.objects.values_list("cost_nano", "thinking_nano")) == {(CALL, THINKING)}
    assert (run.cost_nano, run.thinking_nano) == (run.queries * CALL, run.queries * THINKING)
    periods = Period.objects.values_list("queries", "thinking_nano")
    assert len(periods) == 2 and all(nano == queries * THINKING for queries, nano in periods)


def test_batch_lines_halve_thinking_costs_and_estimates_never_exceed_the_call():
    agent = Agent(**PRICES)
    line, estimated = Exchange(batch_id=1), Exchange()
    usage = Usage(100_000, output_tokens=40_000, reasoning_tokens=30_000)
    set_reply(line, agent, Reply(usage=usage))
    assert (line.cost_nano, line.thinking_nano) == (CALL // 2, THINKING // 2)
    set_reply(estimated, agent, Reply(usage=Usage(output_tokens=1_000, reasoning_tokens=30_000, estimated=True)))
    assert estimated.cost_nano == estimated.thinking_nano == CENT
    set_reply(unpriced := Exchange(), Agent(), Reply(usage=usage))
    assert (unpriced.cost_nano, unpriced.thinking_nano) == (0, 0)


def test_pages_show_the_cost_of_thinking(run, page):
    text = page.get(f"/runs/{run.pk}/").text
    whole = f"${run.queries * 0.3:.2f}"
    assert f"{whole} for thinking" in text
    (period, _) = Period.objects.all()
    assert f"(${period.queries * 0.3:.2f} for thinking)" in page.get(f"/runs/{run.pk}/periods/0/").text
    assert "($0.30 for thinking)" in " ".join(page.get(f"/runs/{run.pk}/periods/0/?tab=transcript").text.split())
    assert f"{whole} for thinking" in page.get(f"/experiments/{run.experiment_id}/").text
    assert f"{whole} for thinking" in page.get(f"/agents/{run.agent.slug}/").text
    assert "$0.30 for 30,000 tokens of thinking" in page.get(f"/experiments/{run.experiment_id}/ledger/").text


def test_the_api_and_exports_state_thinking_costs_in_dollars(run, page):
    whole, (period, _) = run.queries * 0.3, Period.objects.all()
    assert RunOut.values(run)["thinking_usd"] == pytest.approx(whole)
    assert PeriodOut.values(period, run)["thinking_usd"] == pytest.approx(period.queries * 0.3)
    progress = progress_of([run.experiment_id])[run.experiment_id]
    assert ExperimentOut.values(run.experiment, progress)["thinking_usd"] == pytest.approx(whole)
    calls = rows_of_calls(list(Exchange.objects.values_list("pk", flat=True)))
    assert {CallRow.values(call)["thinking_usd"] for call in calls} == {0.3}
    records = list(period_records(Run.objects.all()))
    assert sum(record["thinking_usd"] for record in records) == pytest.approx(whole)
    heading, *rows = [line.strip().split(",") for line in csv_lines(Run.objects.all())]
    assert heading[-2] == "thinking_usd" and sum(float(row[-2]) for row in rows) == pytest.approx(whole)
    ledger = page.get(f"/experiments/{run.experiment_id}/ledger/ledger.csv")
    first, *lines = b"".join(ledger.streaming_content).decode().splitlines()
    assert first.endswith("reasoning_tokens,thinking_usd") and all(line.endswith(",0.300000000") for line in lines)
    raw = json.loads(page.get(f"/runs/{run.pk}/periods/0/period.json").text)
    assert raw["thinking_nano"] == period.thinking_nano
