"""Playing a survey: single questions that wait for nothing but the network, so many are asked at once.

One thread decides what is asked and commits the periods in order; a pool of others makes the calls.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from django.db import connection

from agents.errors import ProviderRetry
from agents.llm import Reply, Request
from agents.survey import Place, SurveyChat
from environments.base import SINGLE_SEAT
from environments.survey import Survey
from limiter import Held
from runs.engine.calls import SendFailed, call
from runs.engine.period import end_period, llm_of
from runs.engine.players import baseline_llm
from runs.engine.slices import Deadline
from runs.engine.summaries import summary
from runs.engine.writing.group_commit import bookkeeper
from runs.engine.writing.period_entries import Played
from runs.models import Exchange, ExchangeState, Run

QUERIES_AT_ONCE = 32
"""Queries of one run under way at the same time."""


@dataclass
class Cell:
    """A period in play: its chat, what it cost so far, and when it began."""

    chat: SurveyChat
    exchanges: list[Exchange] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class Question:
    """A place to be asked, in the period it belongs to."""

    period: int
    place: Place
    request: Request


def play_survey(run: Run, fence: int, survey: Survey, deadline: Deadline) -> bool:
    """Play until the run ends or the slice does; True when it ended. Raises what playing a period raises."""
    if run.agent.is_baseline:
        return _play_baseline(run, fence, survey, deadline)
    with ThreadPoolExecutor(QUERIES_AT_ONCE, thread_name_prefix=f"survey-{run.pk}") as pool:
        return _Player(run, fence, survey, deadline, pool).play()


def _play_baseline(run: Run, fence: int, survey: Survey, deadline: Deadline) -> bool:
    while not survey.finished:
        started = time.monotonic()
        llm = baseline_llm(run.agent, survey, SINGLE_SEAT)
        chat = SurveyChat(survey)
        exchanges = []
        while not chat.finished:
            for place, request in chat.pending():
                reply = llm.query(request)
                chat.receive(place, reply)
                exchanges.append(_exchange(run, fence, survey.period, place, state=ExchangeState.REPLIED))
                exchanges[-1].reply, exchanges[-1].seconds = reply.as_json(), 0.0
        outcome = survey.step(chat.action)
        end_period(run, fence, Played(outcome, exchanges, [], time.monotonic() - started), summary(run, survey))
        if survey.finished:
            return True
        if deadline.passed():
            return False
    return True


def _exchange(run: Run, fence: int, period: int, place: Place, send: int = 0, **values: object) -> Exchange:
    return Exchange(
        run_id=run.pk,
        period_index=period,
        seat=SINGLE_SEAT,
        attempt=place.attempt,
        step=int(place.key),
        send=send,
        fence=fence,
        **values,
    )


class _Player:
    def __init__(self, run: Run, fence: int, survey: Survey, deadline: Deadline, pool: ThreadPoolExecutor):
        self.run = run
        self.fence = fence
        self.survey = survey
        self.deadline = deadline
        self.pool = pool
        self.llm = llm_of(run.agent)
        self.cells: dict[int, Cell] = {}
        self.unsent: deque[Question] = deque()
        self.flying: dict[Future[Reply], tuple[Question, Exchange]] = {}
        self.at_once = QUERIES_AT_ONCE
        self.stopped: Exception | None = None
        self.sends: Counter[tuple[int, Place]] = Counter()
        self.unknown: Counter[tuple[int, Place]] = Counter()

    def play(self) -> bool:
        while True:
            # What is under way is waited for in any case, since it is being paid for.
            if self.stopped is None and not self.deadline.passed():
                self._send()
            self._commit_finished()
            if not self.flying:
                break
            done, _ = wait(self.flying, return_when=FIRST_COMPLETED)
            for future in done:
                self._receive(*self.flying.pop(future), future)
        if self.survey.finished:
            return True
        if self.stopped is not None:
            raise self.stopped
        return False

    def _send(self) -> None:
        room = self.at_once - len(self.flying)
        while len(self.unsent) < room and self._open_next_cell():
            pass
        for _ in range(min(room, len(self.unsent))):
            question = self.unsent.popleft()
            key = (question.period, question.place)
            exchange = _exchange(self.run, self.fence, *key, send=self.sends[key])
            self.flying[self.pool.submit(self._ask, exchange, question.request)] = (question, exchange)

    def _ask(self, exchange: Exchange, request: Request) -> Reply:
        try:
            return call(self.run.pk, self.fence, self.run.agent, self.llm, exchange, request)
        finally:
            connection.close()

    def _open_next_cell(self) -> bool:
        """Take up the next period, with what its journal holds; False when there is none left."""
        period = self.survey.period + len(self.cells)
        if period >= self.survey.periods:
            return False
        cell = Cell(SurveyChat(self.survey, ahead=len(self.cells)))
        self.cells[period] = cell
        journal = Exchange.objects.filter(run=self.run, period_index=period).order_by("attempt", "step", "send")
        for exchange in journal:
            place = Place(str(exchange.step), exchange.attempt)
            self.sends[period, place] = exchange.send + 1
            self.unknown[period, place] += exchange.state == ExchangeState.UNKNOWN
            if exchange.state == ExchangeState.REPLIED:
                cell.chat.receive(place, Reply.from_json(exchange.reply))
                cell.exchanges.append(exchange)
        self.unsent.extend(Question(period, place, request) for place, request in cell.chat.pending())
        return True

    def _receive(self, question: Question, exchange: Exchange, future: Future[Reply]) -> None:
        """Let a reply count, or note the first error that stops the sending."""
        key = (question.period, question.place)
        try:
            reply = future.result()
        except Held as held:
            # Fewer at once find a place; when not even one does, the run waits.
            self.at_once = max(1, self.at_once // 2)
            self.unsent.appendleft(question)
            if not self.flying:
                self.stopped = self.stopped or held
        except ProviderRetry as error:
            failure = SendFailed(error, self.sends[key] + 1, self.unknown[key] + error.may_be_billed)
            self.stopped = self.stopped or failure
        except Exception as error:
            self.stopped = self.stopped or error
        else:
            self.at_once = min(QUERIES_AT_ONCE, self.at_once + 1)
            self._count(question, exchange, reply)

    def _count(self, question: Question, exchange: Exchange, reply: Reply) -> None:
        cell = self.cells[question.period]
        cell.exchanges.append(exchange)
        cell.chat.receive(question.place, reply)
        if question.place.key not in cell.chat.answers:
            again = [
                Question(question.period, place, request)
                for place, request in cell.chat.pending()
                if place.key == question.place.key
            ]
            self.unsent.extendleft(again)

    def _commit_finished(self) -> None:
        while (cell := self.cells.get(self.survey.period)) is not None and cell.chat.finished:
            del self.cells[self.survey.period]
            outcome = self.survey.step(cell.chat.action)
            played = Played(outcome, cell.exchanges, [], time.monotonic() - cell.started)
            # A wish to stop is heard by the calls.
            bookkeeper.end_period(self.run.pk, self.fence, played, summary(self.run, self.survey))
