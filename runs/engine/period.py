"""Play one period in every seat of a run and commit it."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from agents.loop import PeriodChat, Step
from agents.survey import SurveyChat
from agents.tools import Notes
from environments.base import Environment
from environments.survey import Survey
from infrastructure.processes.workers import stopping
from runs.conditions import merged
from runs.engine.calls import Unsettled
from runs.engine.exceptions import Interrupted, LeaseLost, accepted_models
from runs.engine.journal import BaselineJournal, Journal, ModelJournal, llm_of, sent_as
from runs.engine.players import baseline_llm
from runs.engine.writing.entries import PeriodEnd, PlayedPeriod
from runs.engine.writing.group_commit import group_commit
from runs.models import Exchange, Run
from runs.models.runs import StopRequest
from runs.rebuilding import stored_results


def play(
    run: Run,
    fence: int,
    environment: Environment,
    notes: Mapping[str, Notes],
    unsettled: Unsettled,
    *,
    may_be_begun: bool = True,
) -> PlayedPeriod:
    """Play the current period in every seat. No seat sees what another seat does in the same period.

    may_be_begun: whether an earlier holder of the lease may have begun this period
    Raises Stalled, Held and StopSlice.
    """
    started = time.monotonic()
    period = environment.period
    actions, written = {}, []
    exchanges: list[Exchange] = []
    for seat in environment.seats:
        agent, address = run.agent_in(seat), (run.pk, fence, period, seat)
        journal: Journal = (
            BaselineJournal(*address, baseline_llm(agent, environment, seat, run.repeat), agent)
            if agent.is_baseline
            else ModelJournal(*address, llm_of(run, seat), agent, may_be_begun, accepted_models(run, seat), unsettled)
        )
        actions[seat] = (
            _answer(environment, journal)
            if isinstance(environment, Survey)
            else converse(environment, journal, notes[seat], seat)
        )
        exchanges += journal.replied.values()
        written += [(seat, order, text) for order, text in enumerate(notes[seat].by_period.get(period, []))]
    outcome = environment.step(environment.joint_action(actions))
    return PlayedPeriod(outcome, exchanges, written, time.monotonic() - started)


def converse(environment: Environment, journal: Journal, notes: Notes, seat: str) -> dict[str, Any]:
    """Play the chat of one seat until it returns an action. Tool results are stored with their exchanges in the journal."""
    chat = PeriodChat(environment, notes, seat)
    again = {tool.again for tool in chat.tools}
    while chat.action is None:
        step = chat.step
        results = chat.receive(journal.query(step, chat.request()))
        journal.replied[step].results = stored_results(results, (environment.history_tool,), again)
    return chat.action


def _answer(survey: Survey, journal: Journal) -> dict[str, Any]:
    """Ask the questions of a survey one by one, for a baseline. For models, `runs.engine.survey` asks many at once."""
    chat = SurveyChat(survey)
    while not chat.finished:
        for position, request in chat.pending():
            chat.receive(position, journal.query(Step(position.attempt, int(position.key)), request))
    return chat.action


def check_stop_request(run_id: int, fence: int) -> None:
    """Raise Interrupted if a stop was requested or this worker is shutting down, and LeaseLost if the lease is lost."""
    request = Run.objects.filter(pk=run_id, fence=fence).values_list("stop_request", flat=True).first()
    if request is None:
        raise LeaseLost
    if request != StopRequest.NONE or stopping.is_set():
        raise Interrupted


def end_period(
    run: Run, fence: int, environment: Environment, played_period: PlayedPeriod, unsettled: Unsettled | None = None
) -> None:
    """Commit a period, and after the last period the score too.

    Raises LeaseLost, and Interrupted if the run has to stop here.
    """
    if unsettled and environment.finished:  # computing the score may take long
        unsettled.settle()
    conditions = merged(run.conditions, sent_as(played_period.exchanges))
    changed = {} if conditions == run.conditions else conditions
    request = group_commit.end_period(
        PeriodEnd(run.pk, fence, played_period, result_of(run, environment), changed),
        unsettled.take() if unsettled else None,
    )
    run.conditions = changed or run.conditions
    if not environment.finished and (request or stopping.is_set()):
        raise Interrupted


def quality_columns(qualities: Sequence[float | None]) -> dict[str, float | None]:
    """The columns of a run that follow from the qualities of all its periods."""
    last = qualities[-1] if qualities else None
    return {"last_quality": last, "best_quality": max((one for one in qualities if one is not None), default=None)}


def result_of(run: Run, environment: Environment) -> dict[str, Any]:
    """Score and metrics of a finished run, as columns of its row. Empty if periods are left to play."""
    if not environment.finished:
        return {}
    outcomes = environment.outcomes
    score = environment.score(environment.instance, outcomes, run.periods, run.variant)
    return {
        "reason": score.note,
        "score": score.value,
        "solved": score.solved,
        "metrics": environment.metrics(environment.instance, outcomes, run.periods),
    }
