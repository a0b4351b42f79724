"""Questions over played runs, and a worker's part."""

import json
from decimal import Decimal

import pytest

from infrastructure import limiter
from runs.models import Run
from runs.services import job_queries
from tests.stub_provider import StubAnswer
from workspace.questions.models import Question, claims
from workspace.questions.services import question_ask
from workspace.questions.work import ANSWERS


@pytest.fixture(autouse=True)
def _at_once(monkeypatch, organization):
    monkeypatch.setattr(job_queries, "LONGEST_WAIT", 0.01)
    limiter.forget()
    yield
    # Before the database is closed to the heartbeat, which renews those that a test did not give back.
    claims.held.clear()


@pytest.fixture
def runs(played):
    """Two finished runs of pricing with notes of their own."""
    experiment = played("random", periods=3, seeds=(0, 1))
    runs = list(Run.objects.filter(experiment=experiment).order_by("id"))
    for run in runs:
        run.notes.all().delete()
        for period in range(3):
            run.notes.create(
                period_index=period,
                seat="seat_0",
                order=0,
                text=f"Run {run.pk}: I lower\nthe price in period {period}.",
            )
    return runs


@pytest.fixture
def ask(organization, alice, runs, model_agent):
    """Ask a question that the stub's model answers; without a stub, the search by likeness."""

    def ask(stub=None, *, text="Where does it lower prices?", sources=("notes",), of=None, budget=5.0, **prices):
        agent = None
        if stub is not None:
            prices = {"input_price": Decimal(2), "output_price": Decimal(10), "max_tokens": 1000} | prices
            agent = organization.agents.filter(name="house openai").first() or model_agent(stub, **prices)
        return question_ask(
            organization=organization, user=alice, text=text, runs=of or runs, sources=sources, agent=agent,
            budget_nano=None if budget is None else round(budget * 1e9),
        )  # fmt: skip

    return ask


@pytest.fixture
def worked():
    """Answer waiting questions as a worker does, and return the newest."""

    def work():
        while ANSWERS.work_next():
            pass
        return Question.objects.latest("id")

    return work


def rows_in(body):
    """The rows of data in a request to the stub."""
    lines = body["messages"][-1]["content"].splitlines()
    begin, end = [index for index, line in enumerate(lines) if line.startswith("--- data ")]
    return [json.loads(line) for line in lines[begin + 1 : end]]


def quote_of(row, **changes):
    return {name: row[name] for name in ("run", "period", "source", "text")} | changes


def honest(wire, body, headers):
    """The stub's script: a finding for each part that quotes its first text, then one that joins all quotes."""
    rows = rows_in(body)
    if "claim" in rows[0]:
        numbers = [quote["number"] for row in rows for quote in row["quotes"]]
        finding = {"claim": "All runs lower prices.", "quotes": numbers}
        return answered({"answer": "Everywhere.", "findings": [finding]})
    quote = quote_of(rows[0], text=rows[0]["text"][:100])
    return answered({"answer": "Here.", "findings": [{"claim": "It lowers the price.", "quotes": [quote]}]})


def answered(content):
    return StubAnswer(
        text=content if isinstance(content, str) else json.dumps(content),
        usage={"prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100},
    )


COST = 1000 * 2 * 1000 + 100 * 10 * 1000
"""Billionths of a dollar of one answer."""
