"""Playing one period and committing it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from agents.errors import ProviderFatal
from agents.llm import LLM
from agents.loop import PeriodChat
from agents.notes import Notes
from environments.base import Environment
from infrastructure.processes.stopping import stopping
from runs.engine import lease
from runs.engine.calls import Refused
from runs.engine.journal import Journal
from runs.engine.players import baseline_llm, connected_llm
from runs.engine.writing.entries import Interrupted
from runs.engine.writing.group_commit import bookkeeper
from runs.engine.writing.period_entries import Played
from runs.models import Agent, Exchange, ExchangeState, Run
from runs.models.runs import Wish
from runs.transcripts import stored_results


def play(
    run: Run, fence: int, environment: Environment, notes: Mapping[str, Notes], *, may_be_begun: bool = True
) -> Played:
    """Play the environment's current period in every seat. The seats decide apart: none sees what another does in it.

    may_be_begun: whether an earlier holder of the lease may have begun this period

    Raises Stalled, and what stops or fails a call (runs.engine.calls).
    """
    started = time.monotonic()
    period = environment.period
    actions, exchanges, written = {}, [], []
    for seat in environment.seats:
        chat = PeriodChat(environment, notes[seat], seat)
        agent = run.agent_in(seat)
        if agent.is_baseline:
            exchanges += _baseline_chat(run, agent, chat, fence)
        else:
            journal = Journal(run.pk, fence, period, seat, agent, llm_of(agent), may_be_begun=may_be_begun)
            exchanges += _model_chat(chat, journal)
        assert chat.action is not None
        actions[seat] = chat.action
        written += [(seat, order, text) for order, text in enumerate(notes[seat].by_period.get(period, []))]
    outcome = environment.step(environment.joint_action(actions))
    return Played(outcome, exchanges, written, time.monotonic() - started)


def _model_chat(chat: PeriodChat, journal: Journal) -> list[Exchange]:
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


def end_period(run: Run, fence: int, played: Played, ending: dict[str, Any]) -> None:
    """Commit a period. Raises LeaseLost where it must not be, and where it was Interrupted if the run shall not go on."""
    wish = bookkeeper.end_period(run.pk, fence, played, ending)
    if not ending and (wish or stopping.is_set()):
        raise Interrupted
