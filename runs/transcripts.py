"""What was said in a period, for people to read.

Each message is stored once. Prompts and tools follow from the run's configuration and state, and the long history a getter
prints follows from the periods before, so neither is stored with every period: they are made again when somebody looks,
the history checked against the fingerprint stored with the exchange.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from agents.llm import Reply, ToolResult
from agents.loop import ALREADY_GIVEN
from environments.base import Environment, Tool, ToolError
from environments.survey import Question, Survey
from runs.models import Exchange, ExchangeState, Period, Run
from runs.rebuilding import rebuild

STEPS = (ExchangeState.SENT, ExchangeState.REPLIED)
"""Queries that are a step of their chat, or may yet become one."""

PERIODS_AT_ONCE = 100


@dataclass(frozen=True)
class TranscriptCall:
    name: str
    arguments: dict[str, Any] | None
    raw: str
    result: str
    is_error: bool
    ignored: bool


@dataclass(frozen=True)
class TranscriptExchange:
    """One query. Where each is a chat of its own, as in surveys, `question` is its prompt, `flipped` says whether its
    options stand the other way round, and `reads_as` what its answer counts as.

    A query that brought no reply, or too late, is no part of the chat: `is_step` is False, and neither text nor calls are
    told. `sent_again` says whether its place was sent again later, `goes_on` whether a step follows.
    """

    attempt: int
    step: int
    question: str
    flipped: bool
    reads_as: str
    text: str
    calls: list[TranscriptCall]
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost_nano: int
    seconds: float | None
    model: str
    stop: str
    state: str
    error: str
    started_at: datetime | None
    is_step: bool
    sent_again: bool
    goes_on: bool


@dataclass(frozen=True)
class Transcript:
    system: str
    prompt: str
    reply_prompt: str
    tools: tuple[Tool, ...]
    exchanges: list[TranscriptExchange]


def stored_results(results: Iterable[ToolResult], history_tool: str) -> list[dict[str, Any]]:
    """Results as they are stored: a history given in full only by its fingerprint and length."""
    rows = []
    for result in results:
        row = result.as_json()
        if result.name == history_tool and not result.is_error and not result.ignored and result.text != ALREADY_GIVEN:
            row["text"] = None
            row["sha256"] = fingerprint(result.text)
            row["characters"] = len(result.text)
        rows.append(row)
    return rows


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def period_transcripts(run: Run, index: int) -> dict[str, Transcript]:
    """The transcripts of one period, played or in play, by seat."""
    return _by_seat(run, rebuild(run, index), index)


def run_transcripts(run: Run) -> Iterator[tuple[Period, dict[str, Transcript]]]:
    """The transcripts of every played period in order, each made when it is asked for; the game is rebuilt once."""
    environment = rebuild(run, 0)
    last = -1
    while page := list(Period.objects.filter(run=run, index__gt=last)[:PERIODS_AT_ONCE]):
        last = page[-1].index
        for period in page:
            yield period, _by_seat(run, environment, period.index)
            environment.take(period.as_outcome())


def _by_seat(run: Run, environment: Environment, index: int) -> dict[str, Transcript]:
    """`environment` as it was before period `index`."""
    by_seat: dict[str, list[Exchange]] = {seat: [] for seat in environment.seats}
    for exchange in Exchange.objects.filter(run=run, period_index=index):
        by_seat[exchange.seat].append(exchange)
    talks = {seat: _transcript(environment, seat, exchanges) for seat, exchanges in by_seat.items()}
    return {seat: _as_logged(run, talk) for seat, talk in talks.items()} if run.imported else talks


def _as_logged(run: Run, talk: Transcript) -> Transcript:
    """What an imported run was told stands in its log, as far as it was logged; it need not be our wording."""
    prompts = run.source.prompts
    words = {"system": prompts.get("system", ""), "prompt": prompts.get("initial", ""), "reply_prompt": ""}
    if not run.knows_times:
        talk = replace(talk, exchanges=[replace(exchange, started_at=None) for exchange in talk.exchanges])
    return replace(talk, tools=(), **words)


def _transcript(environment: Environment, seat: str, exchanges: list[Exchange]) -> Transcript:
    history = _History(environment, seat)
    asked = environment.questions() if isinstance(environment, Survey) else ()
    questions = {question.key: question for question in asked}
    last_send = {(row.attempt, row.step): row.send for row in exchanges}
    last_step = max((place for place, row in enumerate(exchanges) if row.state in STEPS), default=-1)
    return Transcript(
        system=environment.system_prompt(seat),
        prompt=environment.initial_prompt(seat),
        reply_prompt=environment.reply_prompt(seat),
        tools=environment.tools(seat),
        exchanges=[
            _exchange(
                exchange,
                history,
                environment,
                questions.get(str(exchange.step)),
                sent_again=exchange.send < last_send[exchange.attempt, exchange.step],
                goes_on=place < last_step,
            )
            for place, exchange in enumerate(exchanges)
        ],
    )


class _History:
    """The text of the history getter at the start of the period, made once and only when wanted."""

    def __init__(self, environment: Environment, seat: str):
        self.environment = environment
        self.seat = seat
        self._text: str | None = None

    def text(self, row: dict[str, Any]) -> str:
        if self._text is None:
            try:
                self._text = self.environment.call(self.environment.history_tool, self.seat)
            except ToolError as error:
                self._text = str(error)
        if fingerprint(self._text) != row["sha256"]:
            return f"The {row['characters']:,} characters shown here differ from the ones stored.\n\n{self._text}"
        return self._text


def _exchange(
    exchange: Exchange,
    history: _History,
    environment: Environment,
    question: Question | None,
    *,
    sent_again: bool,
    goes_on: bool,
) -> TranscriptExchange:
    replied = exchange.state == ExchangeState.REPLIED and exchange.reply is not None
    reply = Reply.from_json(exchange.reply) if replied else Reply(stop="")
    reads_as = ""
    if question is not None and replied and isinstance(environment, Survey):
        reads_as = environment.read_answer(question, reply.text) or "no readable answer"
    results = exchange.results or [None] * len(reply.calls)
    return TranscriptExchange(
        attempt=exchange.attempt,
        step=exchange.step,
        question=question.prompt if question else "",
        flipped=bool(question and question.flipped),
        reads_as=reads_as,
        text=reply.text,
        calls=[
            TranscriptCall(
                name=call.name,
                arguments=call.arguments,
                raw=call.raw,
                result=_result_text(row, history),
                is_error=bool(row and row["is_error"]),
                ignored=bool(row and row["ignored"]),
            )
            for call, row in zip(reply.calls, results, strict=True)
        ],
        input_tokens=exchange.input_tokens,
        cached_tokens=exchange.cached_tokens,
        output_tokens=exchange.output_tokens,
        cost_nano=exchange.cost_nano,
        seconds=exchange.seconds,
        model=reply.model,
        stop=reply.stop,
        state=exchange.state,
        error=exchange.error,
        started_at=exchange.created_at,
        is_step=exchange.state in STEPS,
        sent_again=sent_again,
        goes_on=goes_on,
    )


def _result_text(row: dict[str, Any] | None, history: _History) -> str:
    if row is None:
        return ""
    return str(row["text"]) if row["text"] is not None else history.text(row)
