"""Calls that brought no reply, or too late, are no steps: one muted line each, in the calls and in the transcript."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest

from tests.scripted_player import ScriptedPlayer
from tests.stub_provider import StubProvider

pytestmark = pytest.mark.django_db

LINES = {
    "failed": "sent, failed, nothing billed; sent again",
    "unknown": "sent, outcome unknown, booked $0.0200; sent again",
    "lost": "sent, worker stopped, booked $0.0200; sent again",
    "late": "sent, reply came late, booked $0.0200; sent again",
}


@pytest.fixture
def run(launch: Callable[..., Any], model_agent: Callable[..., Any]) -> Any:
    """A finished run of a model."""
    from runs.engine.advance import advance

    with StubProvider(ScriptedPlayer()) as stub:
        agent = model_agent(stub, input_price=Decimal(10), output_price=Decimal(10))
        run = launch(agent.slug, periods=2).runs.get()
        advance(run.pk)
    run.refresh_from_db()
    assert run.state == "finished"
    return run


def sent_before(run: Any, state: str) -> None:
    """The first call of the run was sent once before, with this outcome."""
    from runs.models import Exchange

    first = Exchange.objects.filter(run=run, period_index=0).first()
    Exchange.objects.filter(pk=first.pk).update(send=1)
    first.pk, first.state, first.cost_nano, first.error = None, state, 20_000_000, "No answer came."
    first.reply = first.reply | {"text": "WORDS OF ANOTHER WORLD"} if state == "late" else None
    first.results = None
    first.save(force_insert=True)


@pytest.mark.parametrize("state", LINES)
def test_one_muted_line_and_the_chat_is_the_same(page: Any, run: Any, state: str) -> None:
    from dashboard.selectors.calls import call_lines
    from runs.transcripts import period_transcripts

    address = f"/runs/{run.pk}/periods/0/"
    calls = call_lines(run, 0)
    (before,) = period_transcripts(run, 0).values()
    sent_before(run, state)
    assert [call for call in call_lines(run, 0) if call.number] == calls
    (after,) = period_transcripts(run, 0).values()
    assert [item.calls for item in after.exchanges if item.is_step] == [item.calls for item in before.exchanges]
    for tab in ("notes", "transcript"):
        text = page.get(address, {"tab": tab}).content.decode()
        assert text.count(LINES[state]) == 1
        assert "No answer came." in text
        assert "WORDS OF ANOTHER WORLD" not in text


def test_a_late_reply_does_not_become_a_step_when_the_run_is_rebuilt(run: Any) -> None:
    from runs.rebuilding import rebuild

    before = rebuild(run).outcomes
    sent_before(run, "late")
    assert rebuild(run).outcomes == before
