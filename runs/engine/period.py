"""Playing one period and committing it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db import connection
from django.db.models.functions import Now

from agents.errors import ProviderFatal
from agents.llm import LLM
from agents.loop import PeriodChat
from agents.notes import Notes
from environments.base import Environment, Outcome
from runs.engine import lease
from runs.engine.books import TOTALS, Interrupted
from runs.engine.calls import Refused
from runs.engine.journal import Journal
from runs.engine.players import baseline_llm, connected_llm
from runs.engine.stopping import stopping
from runs.engine.writing import update_many, write_transaction
from runs.models import Agent, Exchange, ExchangeState, Note, Period, Run
from runs.models.runs import Wish
from runs.transcripts import stored_results
from runs.webhooks.outbox import tell_of_runs


@dataclass
class Played:
    """What a period's chats left behind, to be committed with its outcome. `notes` are (seat, order, text)."""

    outcome: Outcome
    exchanges: list[Exchange] = field(default_factory=list)
    notes: list[tuple[str, int, str]] = field(default_factory=list)
    seconds: float = 0.0


def play(run: Run, fence: int, environment: Environment, notes: Mapping[str, Notes]) -> Played:
    """Play the environment's current period in every seat. The seats decide apart: none sees what another does in it.

    Raises Stalled, and what stops or fails a call (runs.engine.calls).
    """
    started = time.monotonic()
    period = environment.period
    actions, exchanges, written = {}, [], []
    for seat in environment.seats:
        chat = PeriodChat(environment, notes[seat], seat)
        agent = run.agent_in(seat)
        exchanges += (
            _baseline_chat(run, agent, chat, fence) if agent.is_baseline else _model_chat(run, agent, chat, fence)
        )
        assert chat.action is not None
        actions[seat] = chat.action
        written += [(seat, order, text) for order, text in enumerate(notes[seat].by_period.get(period, []))]
    outcome = environment.step(environment.joint_action(actions))
    return Played(outcome, exchanges, written, time.monotonic() - started)


def _model_chat(run: Run, agent: Agent, chat: PeriodChat, fence: int) -> list[Exchange]:
    journal = Journal(run.pk, fence, chat.environment.period, chat.seat, agent, llm_of(agent))
    used = []
    while not chat.finished:
        step = chat.step
        results = chat.receive(journal.query(step, chat.request()))
        exchange = journal.replied[step]
        exchange.results = stored_results(results, chat.environment.history_tool)
        used.append(exchange)
    return used


def llm_of(agent: Agent) -> LLM:
    """The client of an agent's model. Raises Refused where there is no usable key."""
    try:
        return connected_llm(agent)
    except ProviderFatal as error:
        raise Refused(agent, error) from None


def _baseline_chat(run: Run, agent: Agent, chat: PeriodChat, fence: int) -> list[Exchange]:
    """A baseline costs nothing and answers the same when asked again, so its exchanges are written with the period."""
    llm = baseline_llm(agent, chat.environment, chat.seat)
    used = []
    while not chat.finished:
        step = chat.step
        reply = llm.query(chat.request())
        results = chat.receive(reply)
        used.append(
            Exchange(
                run_id=run.pk,
                period_index=chat.environment.period,
                seat=chat.seat,
                attempt=step.attempt,
                step=step.query,
                fence=fence,
                state=ExchangeState.REPLIED,
                reply=reply.as_json(),
                results=stored_results(results, chat.environment.history_tool),
                seconds=0.0,
            )
        )
    return used


def check_wish(run_id: int, fence: int) -> None:
    """Raises Interrupted where a person wishes the run or an operator this worker stopped, LeaseLost where the run is
    another worker's."""
    wish = Run.objects.filter(pk=run_id, fence=fence).values_list("wish", flat=True).first()
    if wish is None:
        raise lease.LeaseLost
    if wish != Wish.NONE or stopping.is_set():
        raise Interrupted


def commit(run: Run, fence: int, played: Played, ending: dict[str, Any]) -> None:
    """Write a period in one transaction: outcome, notes, results, and with the last one the score. Raises LeaseLost.

    What its queries cost was added to the run when their replies were journaled.
    """
    outcome = played.outcome
    asked = [exchange for exchange in played.exchanges if exchange.pk]
    totals = {name: sum(getattr(exchange, name) for exchange in asked) for name in (*TOTALS, "cost_nano")}
    with write_transaction():
        lease.update(
            run.pk,
            fence,
            periods_played=outcome.period + 1,
            last_quality=outcome.quality,
            progressed_at=Now(),
            **ending,
        )
        Period.objects.create(
            run_id=run.pk,
            index=outcome.period,
            action=outcome.action,
            result=outcome.result,
            quality=outcome.quality,
            ended=outcome.ended,
            queries=len(asked),
            seconds=played.seconds,
            **totals,
        )
        Note.objects.bulk_create(
            Note(run_id=run.pk, period_index=outcome.period, seat=seat, order=order, text=text)
            for seat, order, text in played.notes
        )
        # What a model was asked is in the journal already; what a baseline did is written only now.
        results = Exchange._meta.get_field("results")
        answered = [exchange for exchange in asked if exchange.results]
        update_many(
            Exchange, "results = %s", [[results.get_db_prep_save(e.results, connection), e.pk] for e in answered]
        )
        Exchange.objects.bulk_create(exchange for exchange in played.exchanges if not exchange.pk)
        if ending:
            tell_of_runs([run.pk])
