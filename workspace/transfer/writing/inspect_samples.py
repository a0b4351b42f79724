"""A period as a sample of an Inspect AI log: its chat, its scores, its tokens."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from agents.tools import WRITE
from infrastructure.money import usd
from runs.models import Agent, Period, Run
from runs.transcripts import Transcript, TranscriptExchange

STOPS = {"tool_use": "tool_calls", "end": "stop", "max_tokens": "max_tokens", "refusal": "content_filter"}
SHOWN_INPUT = 500
"""Characters of the prompt that the list of samples shows."""


@dataclass(frozen=True)
class SeatPeriod:
    """One seat's part of a period. `is_one_of_many` is true in markets of two."""

    period: Period
    name: str
    transcript: Transcript
    is_one_of_many: bool

    @property
    def id(self) -> int | str:
        return f"{self.period.index}-{self.name}" if self.is_one_of_many else self.period.index

    @property
    def steps(self) -> list[TranscriptExchange]:
        return [exchange for exchange in self.transcript.exchanges if exchange.is_step]


def model_name(agent: Agent) -> str:
    """The model's name in Inspect's form: provider/model."""
    return f"econevals/{agent.slug}" if agent.is_baseline else f"{agent.provider or 'imported'}/{agent.model}"


def sample(run: Run, seat: SeatPeriod) -> dict[str, Any]:
    period = seat.period
    messages = [{"id": f"{seat.id}-{number}"} | message for number, message in enumerate(_messages(seat))]
    agent = run.agent_in(seat.name)
    usage = _usage(seat, run)
    last = next((message for message in reversed(messages) if message["role"] == "assistant"), None)
    stop = STOPS.get(seat.steps[-1].stop, "unknown") if seat.steps else "unknown"
    return {
        "id": seat.id,
        "epoch": 1,
        "input": seat.transcript.prompt or next((step.question for step in seat.steps), ""),
        "target": "",
        "messages": messages,
        "output": {
            "model": model_name(agent),
            "choices": [{"message": last, "stop_reason": stop}] if last else [],
            "usage": usage,
        },
        "scores": _scores(seat),
        "metadata": {
            "period": period.index,
            "seat": seat.name,
            "action": period.action,
            "outcome": period.result,
            "notes": _notes(seat),
            "cost_usd": None if run.imported else usd(period.cost_nano),
            "thinking_usd": None if run.imported else usd(period.thinking_nano),
        },
        "store": {},
        "events": [],
        "model_usage": {model_name(agent): usage},
        "completed_at": period.created_at.isoformat(timespec="seconds") if run.knows_times else None,
        "total_time": period.seconds,
        "working_time": period.seconds,
        "uuid": hashlib.sha256(f"econevals sample {run.pk} {seat.id}".encode()).hexdigest()[:22],
        "attachments": {},
    }


def summary(content: dict[str, Any]) -> dict[str, Any]:
    """The sample's summary for Inspect's list of samples."""
    kept = ("id", "epoch", "target", "scores", "model_usage", "completed_at", "total_time", "working_time", "uuid")
    brief = {key: content[key] for key in kept}
    return brief | {
        "completed": True,
        "message_count": len(content["messages"]),
        "input": content["input"][:SHOWN_INPUT],
        "scores": {name: {"value": score["value"]} for name, score in brief["scores"].items()},
        "metadata": {"period": content["metadata"]["period"]},
    }


def _messages(seat: SeatPeriod) -> Iterator[dict[str, Any]]:
    """The messages of the period: all its chats in order. In a survey each question is a chat."""
    talk, steps = seat.transcript, seat.steps
    if talk.system:
        yield {"role": "system", "content": talk.system}
    attempt = None
    for index, step in enumerate(steps):
        if step.question or step.attempt != attempt:
            attempt = step.attempt
            yield {"role": "user", "content": step.question or talk.prompt}
        yield from _turn(seat, index, step)
        if not step.question and talk.reply_prompt and index + 1 < len(steps) and steps[index + 1].attempt == attempt:
            yield {"role": "user", "content": step.next_prompt}


def _turn(seat: SeatPeriod, index: int, step: TranscriptExchange) -> Iterator[dict[str, Any]]:
    calls = [(f"call-{seat.id}-{index}-{number}", call) for number, call in enumerate(step.calls)]
    tool_calls = [
        {"id": number, "function": call.name, "arguments": call.arguments or {}}
        | ({"parse_error": call.raw} if call.arguments is None else {})
        for number, call in calls
    ]
    reply = {"role": "assistant", "content": _content(step)} | ({"model": step.model} if step.model else {})
    yield reply | ({"tool_calls": tool_calls} if tool_calls else {})
    for number, call in calls:
        text = "(ignored: the period was over)" if call.ignored else call.result
        answer = {"role": "tool", "content": text, "tool_call_id": number, "function": call.name}
        yield answer | ({"error": {"type": "unknown", "message": call.result}} if call.is_error else {})


def _content(step: TranscriptExchange) -> str | list[dict[str, Any]]:
    """The text of a reply. If it has thinking, a list of Inspect's ContentReasoning and ContentText."""
    if not step.thinking:
        return step.text
    thinking = {"type": "reasoning", "reasoning": step.thinking}
    return [thinking, {"type": "text", "text": step.text}] if step.text else [thinking]


def _notes(seat: SeatPeriod) -> list[str]:
    return [
        call.arguments["notes"]
        for step in seat.steps
        for call in step.calls
        if call.name == WRITE
        and call.arguments
        and isinstance(call.arguments.get("notes"), str)
        and not (call.is_error or call.ignored)
    ]


def _scores(seat: SeatPeriod) -> dict[str, Any]:
    """The period's quality (1 is optimal) if it has one, and every single-number outcome."""
    result = seat.period.result
    values = {name: value for name, value in result.items() if isinstance(value, int | float)}
    values |= {
        name: part[seat.name]
        for name, part in result.items()
        if seat.is_one_of_many and isinstance(part, dict) and seat.name in part
    }
    quality = {} if seat.period.quality is None else {"quality": seat.period.quality}
    return {name: {"value": value, "answer": str(seat.period.action)} for name, value in (quality | values).items()}


def _usage(seat: SeatPeriod, run: Run) -> dict[str, Any]:
    """The token usage in Inspect's form, which counts cached input separately. The cost of an imported run is unknown."""
    cached, read, written, thought, cost = (
        sum(getattr(step, name) for step in seat.steps)
        for name in ("cached_tokens", "input_tokens", "output_tokens", "thinking_tokens", "cost_nano")
    )
    return {
        "input_tokens": max(0, read - cached),
        "output_tokens": written,
        "reasoning_tokens": thought,
        "total_tokens": read + written,
        "input_tokens_cache_read": cached,
        "total_cost": None if run.imported else usd(cost),
    }
