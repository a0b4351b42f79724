"""The tool calls of a period, one line each."""

from dataclasses import dataclass, replace
from datetime import datetime
from itertools import count
from typing import Any

from agents.tools import READ, WRITE
from environments.registry import ENVIRONMENTS
from environments.survey import Survey, read_letter
from infrastructure.text.formats import as_json
from runs.models import Exchange, Run
from runs.selectors.outcomes import aside
from runs.transcripts import STEPS, thinking_size

LINE = 110
RESULT_SHOWN = 2_000
MOST_SHOWN = 16_000
"""The most characters shown of a text or of arguments; the transcript has everything."""
NO_RESULT, NOT_LOGGED = "Its result is stored when the period ends.", "Its result is not in the log."


@dataclass(frozen=True)
class CallLine:
    """A tool call in one line. Its details open below it: the model's text, the arguments and the result.

    key: the same on every load of the page, so that opened details stay open
    tone: 'bad' for an error, 'faint' for an ignored call
    seconds: duration of the query, given on its first call
    number: position in the period; 0 for a query without a timely reply, which is not part of the chat
    sent_at: time of sending, for a query that waits for its reply
    thinking_tokens: 0 if the provider does not count them
    thinking_characters: length of the whole thinking
    """

    player: str
    line: str
    tone: str = ""
    tag: str = ""
    thinking: str = ""
    thinking_tokens: int = 0
    thinking_characters: int = 0
    text: str = ""
    arguments: str = ""
    result: str = ""
    result_note: str = ""
    seconds: float | None = None
    number: int = 0
    key: str = ""
    sent_at: datetime | None = None

    @property
    def thinking_size(self) -> str:
        return thinking_size(self.thinking_tokens, self.thinking_characters)


def player(run: Run, seat: str) -> str:
    """The agent of a seat, as 'GPT-5, seat 0'."""
    return f"{run.agent_in(seat).name}, {seat.replace('_', ' ')}"


def call_lines(run: Run, index: int) -> list[CallLine]:
    """The calls of a period, in the order of the journal."""
    exchanges = list(Exchange.objects.filter(run=run, period_index=index))
    last_send = {(row.seat, row.attempt, row.step): row.send for row in exchanges}
    lines_of, numbers = _answer if is_survey(run) else _lines, count(1)
    lines: list[CallLine] = []
    for exchange in exchanges:
        query = (exchange.seat, exchange.attempt, exchange.step)
        query_key, player_name = "-".join(map(str, (index, *query))), player(run, exchange.seat)
        if exchange.state not in STEPS:
            line = aside(exchange.state, exchange.cost_nano, sent_again=exchange.send < last_send[query])
            key = f"{query_key}-send-{exchange.send}"
            lines.append(CallLine(player_name, line, "faint", key=key, text=exchange.error, seconds=exchange.seconds))
            continue
        for order, call in enumerate(lines_of(exchange, player_name)):
            note = NOT_LOGGED if run.imported and call.result_note == NO_RESULT else call.result_note
            lines.append(replace(call, number=next(numbers), result_note=note, key=f"{query_key}-{order}"))
    return lines


def is_survey(run: Run) -> bool:
    """Whether the run's periods are questions answered in text, without tool calls."""
    return issubclass(ENVIRONMENTS.get(run.instance.environment, object), Survey)


def _answer(exchange: Exchange, player_name: str) -> list[CallLine]:
    """The lines of a survey answer, such as 'question 3: B', with the whole reply in the details."""
    if exchange.reply is None:
        return _lines(exchange, player_name)
    letter = read_letter(exchange.reply["text"])
    question = f"question {exchange.step + 1}" + (f", try {exchange.attempt + 1}" if exchange.attempt else "")
    line = CallLine(player_name, f"{question}: {letter}")
    if not letter:
        line = CallLine(player_name, f"{question}: no readable answer", "bad", "invalid")
    return [_first(line, exchange)]


def _lines(exchange: Exchange, player_name: str) -> list[CallLine]:
    if exchange.reply is None:
        return [
            CallLine(
                player_name,
                "no reply yet",
                "faint",
                text="Waiting for the model's reply.",
                sent_at=exchange.created_at,
            )
        ]
    calls = exchange.reply["calls"]
    if not calls:
        return [_first(CallLine(player_name, "text without a call", "bad", "no call"), exchange)]
    lines = []
    for call, result in zip(calls, exchange.results or [None] * len(calls), strict=True):
        is_wrong, is_ignored = bool(result and result["is_error"]), bool(result and result["ignored"])
        style = ("bad", "error") if is_wrong else ("faint", "ignored") if is_ignored else ("", "")
        arguments = call["arguments"]
        written = str(call["raw"]) if arguments is None else as_json(arguments) if arguments else ""
        text, note = _result(result)
        line = CallLine(player_name, _one_line(call["name"], arguments), *style)
        lines.append(replace(line, arguments=_cut(written), result=text, result_note=note))
    return [_first(lines[0], exchange), *lines[1:]]


def _first(line: CallLine, exchange: Exchange) -> CallLine:
    """The first line of a reply, with the model's thinking and text before its calls."""
    reply: dict[str, Any] = exchange.reply or {}
    thinking = reply.get("thinking", "")  # replies of earlier versions have no thinking
    return replace(
        line,
        thinking=_cut(thinking),
        thinking_tokens=reply.get("usage", {}).get("reasoning_tokens", 0),
        thinking_characters=len(thinking),
        text=_cut(reply["text"]),
        seconds=exchange.seconds,
    )


def _cut(text: str) -> str:
    if len(text) <= MOST_SHOWN:
        return text
    return f"{text[:MOST_SHOWN]} … (the first {MOST_SHOWN:,} of {len(text):,} characters)"


def _result(result: dict[str, Any] | None) -> tuple[str, str]:
    """(part of the result to show, sentence on what is left out)."""
    if result is None:
        return "", NO_RESULT
    if result["text"] is None:
        subject = "The notes" if result["name"] == READ else "All earlier attempts"
        return "", f"{subject}, {result['characters']:,} characters; the transcript shows them."
    text = str(result["text"])
    if len(text) <= RESULT_SHOWN:
        return text, ""
    return (
        f"{text[:RESULT_SHOWN]} …",
        f"The first {RESULT_SHOWN:,} of {len(text):,} characters; the transcript shows all.",
    )


def _one_line(name: str, arguments: dict[str, Any] | None) -> str:
    """A call as one line: get_budget(), read_notes(62), write_notes(…)"""
    if arguments is None:
        return f"{name}(not a JSON object)"
    values = "…" if name == WRITE else ", ".join(str(value) for value in arguments.values())
    room = LINE - len(name)
    return f"{name}({values if len(values) <= room else values[:room] + '…'})"
