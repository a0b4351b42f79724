"""Transcripts of periods: prompts, tools, model replies and tool results, for people to read.

Prompts, tools and the text of the history tool are not stored but rebuilt, from the run's configuration and its earlier
periods; so are the notes that an outside agent read. What is rebuilt is compared with the fingerprint that was stored with
the exchange.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Any

from agents.llm import Reply, ToolCall, ToolResult
from agents.loop import ALREADY_GIVEN
from agents.notes import READ, joined, whole_number
from agents.tools import FROM_PERIOD, asked_period
from environments.base import Environment, Tool, ToolError
from environments.survey import Question, Survey
from runs.models import Exchange, ExchangeState, Note, Period, Run
from runs.models.records import ANSWERED
from runs.rebuilding import rebuild

STEPS = (ExchangeState.SENT, *ANSWERED)
"""States of queries that are a step of their chat, or may become one."""

PERIODS_AT_ONCE = 100

COPIED = ("attempt", "step", "input_tokens", "cached_tokens", "output_tokens", "cost_nano", "seconds", "state", "error")
"""Fields of a TranscriptExchange that are those of the exchange."""


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
    """One query with its reply.

    In surveys each query is a chat of its own: `question` is its prompt, `flipped` says whether its options are in
    reverse order, and `reads_as` is the parsed answer.
    is_step: False for a query without a reply, or with a late one; it is not in the chat and has no text or calls
    sent_again: whether the same step was sent again later; goes_on: whether another step follows
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


def stored_results(results: Iterable[ToolResult], rebuilt: Collection[str]) -> list[dict[str, Any]]:
    """Results as JSON for storage. The texts of tools that can be rebuilt are replaced by their fingerprint and length."""
    rows = []
    for result in results:
        row = result.as_json()
        if result.name in rebuilt and not result.is_error and not result.ignored and result.text != ALREADY_GIVEN:
            row["text"] = None
            row["sha256"] = fingerprint(result.text)
            row["characters"] = len(result.text)
        rows.append(row)
    return rows


def fingerprint(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def period_transcripts(run: Run, index: int) -> dict[str, Transcript]:
    """The transcripts of one played or current period, by seat."""
    return _by_seat(run, rebuild(run, index), index)


def run_transcripts(run: Run) -> Iterator[tuple[Period, dict[str, Transcript]]]:
    """Yield the transcripts of every played period in order; the game is rebuilt only once."""
    environment = rebuild(run, 0)
    last = -1
    while page := list(Period.objects.filter(run=run, index__gt=last)[:PERIODS_AT_ONCE]):
        last = page[-1].index
        for period in page:
            yield period, _by_seat(run, environment, period.index)
            environment.take(period.as_outcome())


def _by_seat(run: Run, environment: Environment, index: int) -> dict[str, Transcript]:
    """The transcripts of period `index`, by seat. `environment` is in its state before that period."""
    by_seat: dict[str, list[Exchange]] = {seat: [] for seat in environment.seats}
    for exchange in Exchange.objects.filter(run=run, period_index=index):
        by_seat[exchange.seat].append(exchange)
    transcripts = {seat: _transcript(run, environment, seat, exchanges) for seat, exchanges in by_seat.items()}
    if run.imported:
        # The prompts of its log may differ from ours.
        system, prompt = (run.source.prompts.get(kind, "") for kind in ("system", "initial"))
        for seat, ours in transcripts.items():
            exchanges = ours.exchanges
            if not run.knows_times:
                exchanges = [replace(exchange, started_at=None) for exchange in exchanges]
            transcripts[seat] = Transcript(system, prompt, reply_prompt="", tools=(), exchanges=exchanges)
    return transcripts


def _transcript(run: Run, environment: Environment, seat: str, exchanges: list[Exchange]) -> Transcript:
    texts = _Texts(run, environment, seat)
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
                texts,
                environment,
                questions.get(str(exchange.step)),
                sent_again=exchange.send < last_send[exchange.attempt, exchange.step],
                goes_on=place < last_step,
            )
            for place, exchange in enumerate(exchanges)
        ],
    )


@dataclass
class _Texts:
    """The texts that were not stored. The whole history at the start of the period is computed on first use."""

    run: Run
    environment: Environment
    seat: str

    @cached_property
    def history(self) -> str:
        try:
            return self.environment.call(self.environment.history_tool, self.seat)
        except ToolError as error:
            return str(error)

    def text(self, row: dict[str, Any], call: ToolCall) -> str:
        arguments = call.arguments or {}
        rebuilt = self._notes(arguments) if call.name == READ else self._histories(arguments)
        text = ""
        for text in rebuilt:
            if fingerprint(text) == row["sha256"]:
                return text
        return f"The {row['characters']:,} characters shown here differ from the ones stored.\n\n{text}"

    def _histories(self, arguments: dict[str, Any]) -> Iterator[str]:
        # Outside agents may ask for the history from a period on.
        since = whole_number(arguments.get(FROM_PERIOD))
        if since is not None and since >= 0:
            yield self.environment.history(self.seat, since)
        yield self.history

    def _notes(self, arguments: dict[str, Any]) -> Iterator[str]:
        """What the asked period's notes may have been: those of the current one were fewer at first."""
        period = asked_period(self.environment, self.seat, arguments)
        written: list[str] = []
        if period is not None:
            rows = Note.objects.filter(run=self.run, period_index=period, seat=self.seat)
            written = list(rows.values_list("text", flat=True))
        yield from (joined(written[:count]) for count in range(len(written) + 1))


def _exchange(
    exchange: Exchange,
    texts: _Texts,
    environment: Environment,
    question: Question | None,
    *,
    sent_again: bool,
    goes_on: bool,
) -> TranscriptExchange:
    replied = exchange.state in ANSWERED and exchange.reply is not None
    reply = Reply.from_json(exchange.reply) if replied else Reply(stop="")
    reads_as = ""
    if question is not None and replied and isinstance(environment, Survey):
        reads_as = environment.read_answer(question, reply.text) or "no readable answer"
    return TranscriptExchange(
        **{name: getattr(exchange, name) for name in COPIED},
        question=question.prompt if question else "",
        flipped=bool(question and question.flipped),
        reads_as=reads_as,
        text=reply.text,
        calls=_calls(reply, exchange.results or [], texts),
        model=reply.model,
        stop=reply.stop,
        started_at=exchange.created_at,
        is_step=exchange.state in STEPS,
        sent_again=sent_again,
        goes_on=goes_on,
    )


def _calls(reply: Reply, results: list[dict[str, Any]], texts: _Texts) -> list[TranscriptCall]:
    """The tool calls of a reply; while they are not executed there are no results."""
    empty = {"text": "", "is_error": False, "ignored": False}
    return [
        TranscriptCall(
            name=call.name,
            arguments=call.arguments,
            raw=call.raw,
            result=texts.text(row, call) if row["text"] is None else str(row["text"]),
            is_error=bool(row["is_error"]),
            ignored=bool(row["ignored"]),
        )
        for call, row in zip(reply.calls, results or [empty] * len(reply.calls), strict=True)
    ]
