"""Transcripts of periods for people to read: prompts, tools, model replies and tool results.

Prompts and tools are not stored. They are rebuilt from the run's configuration and its earlier periods, and so are some
tool texts; see runs.rebuilding.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from agents.llm import Reply, Sent
from agents.loop import prompt_after
from environments.base import Environment, Tool
from environments.survey import Question, Survey
from infrastructure.text.formats import counted
from runs.models import Exchange, ExchangeState, Period, Run
from runs.models.records import ANSWERED
from runs.rebuilding import RebuiltTexts, rebuild

STEPS = (ExchangeState.SENT, *ANSWERED)
"""States of queries whose reply is a step of their chat, or which still wait for a reply."""

PERIODS_AT_ONCE = 100

COPIED = (
    *("attempt", "step", "input_tokens", "cached_tokens", "output_tokens", "cost_nano", "thinking_nano", "seconds"),
    *("state", "error"),
)
"""Fields that a TranscriptExchange copies from the exchange."""


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

    thinking: the readable part of the model's thinking, often a summary; thinking_tokens: 0 if they are not counted
    is_estimated: whether the token counts are upper bounds, because the provider did not report them
    sent: how the query was asked; None for baselines, outside agents, imported runs and replies of earlier versions
    next_prompt: the user text after the results of the reply, empty without a reply
    changes: what the provider left out of the chat, quoted
    fault: why the provider rejected the text of the model, quoted
    is_step: False if the query has no reply or a late one; then it is no part of the chat and has no text or calls
    sent_again: whether the same step was sent again later; goes_on: whether another step follows
    """

    attempt: int
    step: int
    question: str
    flipped: bool
    reads_as: str
    thinking: str
    thinking_tokens: int
    text: str
    calls: list[TranscriptCall]
    next_prompt: str
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    is_estimated: bool
    cost_nano: int
    thinking_nano: int
    seconds: float | None
    model: str
    sent: Sent | None
    stop: str
    changes: str
    fault: str
    state: str
    error: str
    started_at: datetime | None
    is_step: bool
    sent_again: bool
    goes_on: bool

    @property
    def thinking_size(self) -> str:
        return thinking_size(self.thinking_tokens, len(self.thinking))


def thinking_size(tokens: int, characters: int) -> str:
    """The size of the thinking: '1,250 tokens', or the number of characters if the provider does not count its tokens."""
    return counted(tokens, "token,tokens") if tokens else counted(characters, "character,characters")


@dataclass(frozen=True)
class Transcript:
    system: str
    prompt: str
    reply_prompt: str
    tools: tuple[Tool, ...]
    exchanges: list[TranscriptExchange]


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
    """The transcripts of period `index`, by seat. `environment` is in the state before that period."""
    by_seat: dict[str, list[Exchange]] = {seat: [] for seat in environment.seats}
    for exchange in Exchange.objects.filter(run=run, period_index=index):
        by_seat[exchange.seat].append(exchange)
    transcripts = {seat: _transcript(run, environment, seat, exchanges) for seat, exchanges in by_seat.items()}
    if run.imported:
        # The prompts in the log of an imported run may differ from ours.
        system, prompt = (run.source.prompts.get(kind, "") for kind in ("system", "initial"))
        changes: dict[str, Any] = {} if run.knows_times else {"started_at": None}
        for seat, transcript in transcripts.items():
            exchanges = [replace(exchange, **changes) for exchange in transcript.exchanges]
            transcripts[seat] = Transcript(system, prompt, reply_prompt="", tools=(), exchanges=exchanges)
    return transcripts


def _transcript(run: Run, environment: Environment, seat: str, exchanges: list[Exchange]) -> Transcript:
    texts = RebuiltTexts(run, environment, seat)
    survey_questions = environment.questions() if isinstance(environment, Survey) else ()
    questions = {question.key: question for question in survey_questions}
    last_send = {(row.attempt, row.step): row.send for row in exchanges}
    last_step = max((index for index, row in enumerate(exchanges) if row.state in STEPS), default=-1)
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
                seat=seat,
                sent_again=exchange.send < last_send[exchange.attempt, exchange.step],
                goes_on=index < last_step,
            )
            for index, exchange in enumerate(exchanges)
        ],
    )


def _exchange(
    exchange: Exchange,
    texts: RebuiltTexts,
    environment: Environment,
    question: Question | None,
    *,
    seat: str,
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
        thinking=reply.thinking,
        thinking_tokens=reply.usage.reasoning_tokens,
        text=reply.text,
        calls=_calls(reply, exchange.results or [], texts),
        next_prompt="" if question or not replied else prompt_after(reply, environment, seat),
        is_estimated=reply.usage.estimated,
        sent=reply.sent if reply.sent.wire else None,
        **{name: getattr(reply, name) for name in ("model", "stop", "changes", "fault")},
        started_at=exchange.created_at,
        is_step=exchange.state in STEPS,
        sent_again=sent_again,
        goes_on=goes_on,
    )


def _calls(reply: Reply, results: list[dict[str, Any]], texts: RebuiltTexts) -> list[TranscriptCall]:
    """The tool calls of a reply with their results. Calls that are not executed yet have no result."""
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
