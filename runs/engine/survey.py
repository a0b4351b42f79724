"""Play a survey of a model. Its questions do not depend on each other, so many queries run concurrently.

One thread decides what to ask and commits the periods in order; a pool of threads makes the calls.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field

from django.db import connection

from agents.llm import LLM, Reply, Request
from agents.loop import Step
from agents.survey import SurveyChat, SurveyPosition
from environments.base import SINGLE_SEAT
from environments.survey import Survey
from infrastructure.limiter import Held
from runs.engine.exceptions import Interrupted, accepted_models
from runs.engine.journal import ModelJournal, llm_of
from runs.engine.period import end_period
from runs.engine.writing.entries import PlayedPeriod
from runs.models import Run

QUERIES_AT_ONCE = 32
"""Concurrent queries of one run."""


@dataclass
class OpenPeriod:
    """A period that still has unanswered questions."""

    chat: SurveyChat
    journal: ModelJournal
    started: float = field(default_factory=time.monotonic)


@dataclass(frozen=True)
class SurveyQuery:
    """A question to ask, and the period to which it belongs."""

    period: OpenPeriod
    position: SurveyPosition
    request: Request

    @property
    def step(self) -> Step:
        return Step(self.position.attempt, int(self.position.key))

    def ask(self) -> Reply:
        try:
            return self.period.journal.query(self.step, self.request)
        finally:
            connection.close()


def play_survey(run: Run, fence: int, survey: Survey, slice_is_over: Callable[[], bool]) -> bool:
    """Play until the run finishes (True) or the slice is over (False). Raises the exceptions of `period.play`."""
    with ThreadPoolExecutor(QUERIES_AT_ONCE, thread_name_prefix=f"survey-{run.pk}") as pool:
        return SurveyPlay(run, fence, survey, slice_is_over, pool).play()


@dataclass
class SurveySlice:
    """One slice of a survey, played under the `fence` of the lease."""

    run: Run
    fence: int
    survey: Survey

    def open_period(self, llm: LLM, index: int) -> OpenPeriod:
        """A period of the survey, with the replies that its journal already holds."""
        journal = ModelJournal(
            *(self.run.pk, self.fence, index, SINGLE_SEAT, llm, self.run.agent),
            accepted=accepted_models(self.run, SINGLE_SEAT),
        )
        period = OpenPeriod(SurveyChat(self.survey, ahead=index - self.survey.period), journal)
        for step, exchange in journal.replied.items():
            period.chat.receive(SurveyPosition(str(step.query), step.attempt), Reply.from_json(exchange.reply))
        return period

    def end_answered(self, periods: dict[int, OpenPeriod]) -> bool:
        """Commit the current period if all its questions are answered. Returns whether it did.

        Raises LeaseLost, Interrupted.
        """
        period = periods.get(self.survey.period)
        if period is None or not period.chat.finished:
            return False
        del periods[self.survey.period]
        outcome, exchanges = self.survey.step(period.chat.action), list(period.journal.replied.values())
        played_period = PlayedPeriod(outcome, exchanges, [], time.monotonic() - period.started)
        end_period(self.run, self.fence, self.survey, played_period)
        return True


@dataclass
class SurveyPlay(SurveySlice):
    """A slice with many concurrent queries. `error` holds the first error, which ends the sending of queries."""

    slice_is_over: Callable[[], bool]
    pool: ThreadPoolExecutor
    open: dict[int, OpenPeriod] = field(default_factory=dict)
    unsent: deque[SurveyQuery] = field(default_factory=deque)
    in_flight: dict[Future[Reply], SurveyQuery] = field(default_factory=dict)
    at_once: int = QUERIES_AT_ONCE
    error: Exception | None = None

    def __post_init__(self) -> None:
        self.llm = llm_of(self.run, SINGLE_SEAT)

    def play(self) -> bool:
        while True:
            if self.error is None and not self.slice_is_over():
                self._send()
            while self._end_answered():
                pass
            # Always wait for the queries in flight, because they are paid for.
            if not self.in_flight:
                break
            done, _ = wait(self.in_flight, return_when=FIRST_COMPLETED)
            for future in done:
                self._receive(self.in_flight.pop(future), future)
        if self.error is not None and not self.survey.finished:
            raise self.error
        return self.survey.finished

    def _end_answered(self) -> bool:
        try:
            return self.end_answered(self.open)
        except Interrupted as stop:
            self.error = self.error or stop
            return True

    def _send(self) -> None:
        room = self.at_once - len(self.in_flight)
        while len(self.unsent) < room and (index := self.survey.period + len(self.open)) < self.survey.periods:
            self.open[index] = self.open_period(self.llm, index)
            self.unsent.extend(pending(self.open[index]))
        for _ in range(min(room, len(self.unsent))):
            query = self.unsent.popleft()
            self.in_flight[self.pool.submit(query.ask)] = query

    def _receive(self, query: SurveyQuery, future: Future[Reply]) -> None:
        """Handle a reply. The first error is kept, and no more queries are sent."""
        try:
            reply = future.result()
        except Held as held:
            # Retry with fewer concurrent queries. If not even one gets a slot, the run waits.
            self.at_once = max(1, self.at_once // 2)
            self.unsent.appendleft(query)
            if not self.in_flight:
                self.error = self.error or held
        except Exception as error:
            self.error = self.error or error
        else:
            self.at_once = min(QUERIES_AT_ONCE, self.at_once + 1)
            query.period.chat.receive(query.position, reply)
            # An invalid answer leaves the question pending.
            self.unsent.extendleft(again for again in pending(query.period) if again.position.key == query.position.key)


def pending(period: OpenPeriod) -> Iterable[SurveyQuery]:
    return (SurveyQuery(period, position, request) for position, request in period.chat.pending())
