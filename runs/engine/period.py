"""Playing one period and committing it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Sum
from django.db.models.functions import Now

from agents.loop import PeriodChat
from agents.notes import Notes
from environments.base import Environment, Outcome
from runs.engine import lease
from runs.engine.journal import TOTALS, Journal
from runs.engine.players import baseline_llm, connected_llm
from runs.engine.stopping import stopping
from runs.engine.writing import write_transaction
from runs.models import Agent, Exchange, ExchangeState, Experiment, Note, Period, Run
from runs.models.runs import Wish
from runs.transcripts import stored_results

NANO = 1_000_000_000


class Interrupted(Exception):
    """A person wishes the run paused or cancelled, or the worker is asked to stop."""


@dataclass
class Played:
    """What a period's chats left behind, to be committed with its outcome. `notes` are (seat, order, text)."""

    outcome: Outcome
    exchanges: list[Exchange] = field(default_factory=list)
    notes: list[tuple[str, int, str]] = field(default_factory=list)
    seconds: float = 0.0


def play(run: Run, fence: int, environment: Environment, notes: Mapping[str, Notes]) -> Played:
    """Play the environment's current period in every seat. The seats decide apart: none sees what another does in it.

    Raises Interrupted, LeaseLost, Stalled and the provider's errors.
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
    journal = Journal(run.pk, fence, chat.environment.period, chat.seat, agent)
    llm = connected_llm(agent)
    used = []
    while not chat.finished:
        step = chat.step
        request = chat.request()
        check_wish(run.pk, fence)
        check_budget(run)
        reply = journal.query(step, lambda request=request: llm.query(request))
        results = chat.receive(reply)
        exchange = journal.replied[step]
        exchange.results = stored_results(results, chat.environment.history_tool)
        used.append(exchange)
    return used


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


class OverBudget(Exception):
    """The experiment has spent its budget; the message says so in one sentence."""


def check_budget(run: Run) -> None:
    """Raises OverBudget where nothing is left for another query. Queries in flight may still go beyond the cap."""
    cap = Experiment.objects.values_list("budget_nano", flat=True).filter(pk=run.experiment_id).first()
    if cap is None:
        return
    spent = Run.objects.filter(experiment=run.experiment_id).aggregate(total=Sum("cost_nano"))["total"] or 0
    if spent >= cap:
        raise OverBudget(f"The experiment has spent its budget of ${cap / NANO:,.2f}. Raise it and resume.")


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
    totals = {name: sum(getattr(exchange, name) for exchange in asked) for name in TOTALS}
    with write_transaction():
        lease.update(
            run.pk,
            fence,
            periods_played=outcome.period + 1,
            last_quality=outcome.quality,
            progressed_at=Now(),
            failed_sends=0,
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
        Exchange.objects.bulk_update([exchange for exchange in asked if exchange.results], ["results"])
        Exchange.objects.bulk_create(exchange for exchange in played.exchanges if not exchange.pk)
