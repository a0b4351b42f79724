"""Runs of earlier versions with an effort but without thinking are marked."""

import pytest

from agents.llm import Reply, Sent, Usage
from runs.conditions import conditions_key, difference, merged
from runs.dropped_efforts import mark_dropped_efforts
from runs.models import Agent, Exchange, Run
from runs.selectors.conditions import conditions_notes, conditions_words
from workspace.transfer.writing.records import period_records

NOTE = "Its replies show no thinking although effort medium was set, so the effort was probably dropped."


def mark():
    return mark_dropped_efforts(Run.objects.all(), Exchange.objects.all())


@pytest.fixture
def stored(launch, agent):
    """A run of GPT-5 with effort medium, as an earlier version stored it, with a reply for each number of tokens."""

    def store(*thinking, effort="medium", **values):
        player = agent("gpt-5")
        Agent.objects.filter(pk=player.pk).update(reasoning_effort=effort)
        run = launch("gpt-5").runs.get()
        for step, tokens in enumerate(thinking):
            reply = Reply(usage=Usage(output_tokens=50, reasoning_tokens=tokens), model="gpt-5", **values).as_json()
            if "sent" not in values:
                del reply["sent"]
            Exchange.objects.create(run=run, agent=player, period_index=0, seat="seat_0", attempt=0, step=step, send=0,
                                    fence=1, state="replied", reply=reply)  # fmt: skip
        return run

    return store


def test_a_run_whose_replies_show_no_thinking_is_marked(stored, page):
    run = stored(0, 0, 0, 0, 0, 0)
    assert mark() == 1
    run = Run.objects.get()
    assert conditions_notes(run) == [NOTE] and conditions_words(run) == "effort medium probably dropped"
    assert difference(run.conditions_key, "") == "effort medium was probably dropped"
    assert difference("", run.conditions_key) == "effort medium was probably dropped in its other runs"
    assert NOTE in page.get(f"/runs/{run.pk}/").text
    assert next(period_records(Run.objects.all()))["conditions"] == f"effort medium probably dropped; {NOTE}"
    assert mark() == 0


@pytest.mark.parametrize(
    ("thinking", "values"),
    [
        ((0, 0, 0, 0, 0, 9), {}),
        ((0,), {"effort": ""}),
        ((), {}),
        ((0,), {"blocks": ({"type": "reasoning"},)}),
        ((0,), {"sent": Sent(wire="chat", effort="medium")}),
    ],
)
def test_runs_with_thinking_without_an_effort_or_with_conditions_are_not_marked(stored, thinking, values):
    stored(*thinking, **values)
    assert mark() == 0


def test_a_marked_run_keeps_its_mark_when_it_continues():
    marked = {"seat_0": {"dropped_effort": "medium"}}
    going_on = merged(marked, {"seat_0": {"wire": "chat", "model": "gpt-5"}})
    assert going_on["seat_0"]["dropped_effort"] == "medium"
    assert conditions_key(going_on) != conditions_key({"seat_0": {"wire": "chat", "model": "gpt-5"}})
