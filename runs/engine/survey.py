"""Playing a survey: single questions that wait for nothing but the network, so many are asked at once.

One thread does all the bookkeeping and owns the database connection; a pool of others only waits for replies. Intents are
committed before their queries are sent and replies before they count, both in batches; periods are committed in order.
"""

from __future__ import annotations

import time
from collections import deque
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from django.db.models import F
from django.db.models.functions import Now

from agents.errors import ProviderFatal, ProviderRetry
from agents.llm import Reply, Request
from agents.survey import Place, SurveyChat
from environments.base import SINGLE_SEAT
from environments.survey import Survey
from runs.engine import lease
from runs.engine.journal import TOTALS
from runs.engine.period import Interrupted, OverBudget, Played, check_budget, check_wish, commit
from runs.engine.players import baseline_llm, connected_llm
from runs.engine.summaries import summary
from runs.engine.writing import write_transaction
from runs.models import Exchange, ExchangeState, Run

QUERIES_AT_ONCE = 32
"""Queries of one run under way at the same time."""


@dataclass
class Cell:
    """A period in play: its chat, what it cost so far, and when it began."""

    chat: SurveyChat
    exchanges: list[Exchange] = field(default_factory=list)
    started: float = field(default_factory=time.monotonic)


@dataclass
class Query:
    cell: Cell
    period: int
    place: Place
    request: Request
    exchange: Exchange


def play_survey(run: Run, fence: int, survey: Survey, deadline: float) -> bool:
    """Play until the run ends or the slice does; True when it ended. Raises what playing a period raises."""
    if run.agent.is_baseline:
        return _play_baseline(run, fence, survey, deadline)
    with ThreadPoolExecutor(QUERIES_AT_ONCE, thread_name_prefix=f"survey-{run.pk}") as pool:
        return _Player(run, fence, survey, deadline, pool).play()


def _play_baseline(run: Run, fence: int, survey: Survey, deadline: float) -> bool:
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
        commit(run, fence, Played(outcome, exchanges, [], time.monotonic() - started), summary(run, survey))
        if survey.finished:
            return True
        check_wish(run.pk, fence)
        if time.monotonic() >= deadline:
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
    def __init__(self, run: Run, fence: int, survey: Survey, deadline: float, pool: ThreadPoolExecutor):
        self.run = run
        self.fence = fence
        self.survey = survey
        self.deadline = deadline
        self.pool = pool
        self.llm = connected_llm(run.agent)
        self.cells: dict[int, Cell] = {}
        self.unsent: deque[tuple[int, Place, Request]] = deque()
        self.flying: dict[Future[Reply], Query] = {}
        self.stopped: Exception | None = None
        self.sends: dict[tuple[int, Place], int] = {}

    def play(self) -> bool:
        while True:
            if self._may_send():
                self._send()
            self._commit_finished()
            if not self.flying:
                break
            done, _ = wait(self.flying, return_when=FIRST_COMPLETED)
            self._settle([(self.flying.pop(future), future) for future in done])
        if self.survey.finished:
            return True
        if self.stopped is not None:
            raise self.stopped
        return False

    def _may_send(self) -> bool:
        """Whether more may be asked; what is under way is waited for in any case, since it is being paid for."""
        if self.stopped is None:
            try:
                check_wish(self.run.pk, self.fence)
                check_budget(self.run)
            except (Interrupted, OverBudget) as stop:
                self.stopped = stop
        return self.stopped is None and time.monotonic() < self.deadline

    def _send(self) -> None:
        room = QUERIES_AT_ONCE - len(self.flying)
        while len(self.unsent) < room and self._open_next_cell():
            pass
        batch = [self.unsent.popleft() for _ in range(min(room, len(self.unsent)))]
        if not batch:
            return
        queries = [self._query(*item) for item in batch]
        with write_transaction():
            lease.update(self.run.pk, self.fence, progressed_at=Now())
            Exchange.objects.bulk_create(query.exchange for query in queries)
        for query in queries:
            self.flying[self.pool.submit(_timed, self.llm.query, query.request, query.exchange)] = query

    def _query(self, period: int, place: Place, request: Request) -> Query:
        send = self.sends.get((period, place), 0)
        self.sends[period, place] = send + 1
        exchange = _exchange(self.run, self.fence, period, place, send)
        return Query(self.cells[period], period, place, request, exchange)

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
            if exchange.state == ExchangeState.REPLIED:
                cell.chat.receive(place, Reply.from_json(exchange.reply))
                cell.exchanges.append(exchange)
        self.unsent.extend((period, place, request) for place, request in cell.chat.pending())
        return True

    def _settle(self, done: list[tuple[Query, Future[Reply]]]) -> None:
        """Commit what came back in one transaction, then let it count. The first error stops the sending."""
        replied: list[tuple[Query, Reply]] = []
        for query, future in done:
            try:
                replied.append((query, future.result()))
            except (ProviderRetry, ProviderFatal) as error:
                query.exchange.state, query.exchange.error = ExchangeState.FAILED, str(error)
                self.stopped = self.stopped or error
        for query, reply in replied:
            _book(query.exchange, reply, self.run.agent.cost_nano(reply.usage))
        totals = {name: F(name) + sum(getattr(q.exchange, name) for q, _ in replied) for name in TOTALS}
        with write_transaction():
            lease.update(self.run.pk, self.fence, progressed_at=Now(), queries=F("queries") + len(replied), **totals)
            Exchange.objects.bulk_update([query.exchange for query, _ in done], BOOKED)
        for query, reply in replied:
            self._count(query, reply)

    def _count(self, query: Query, reply: Reply) -> None:
        cell = query.cell
        cell.exchanges.append(query.exchange)
        cell.chat.receive(query.place, reply)
        if query.place.key not in cell.chat.answers:
            again = [
                (query.period, place, request) for place, request in cell.chat.pending() if place.key == query.place.key
            ]
            self.unsent.extendleft(again)

    def _commit_finished(self) -> None:
        while (cell := self.cells.get(self.survey.period)) is not None and cell.chat.finished:
            del self.cells[self.survey.period]
            outcome = self.survey.step(cell.chat.action)
            played = Played(outcome, cell.exchanges, [], time.monotonic() - cell.started)
            commit(self.run, self.fence, played, summary(self.run, self.survey))


BOOKED = ("state", "reply", "error", "seconds", *TOTALS)


def _timed(query, request: Request, exchange: Exchange) -> Reply:  # type: ignore[no-untyped-def]
    started = time.monotonic()
    try:
        return query(request)
    finally:
        exchange.seconds = time.monotonic() - started


def _book(exchange: Exchange, reply: Reply, cost_nano: int) -> None:
    exchange.state = ExchangeState.REPLIED
    exchange.reply = reply.as_json()
    exchange.input_tokens = reply.usage.input_tokens
    exchange.cached_tokens = reply.usage.cached_tokens
    exchange.output_tokens = reply.usage.output_tokens
    exchange.cost_nano = cost_nano
