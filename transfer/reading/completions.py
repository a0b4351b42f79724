"""Model replies in published logs: the provider's whole response, printed as a Python dictionary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from agents.llm import Reply, ToolCall, Usage
from agents.notes import MAX_CHARACTERS, storable
from environments.json_text import NotJSON, read_json
from transfer.reading.literals import NotALiteral, parse_literal

STOPS = {
    "tool_calls": "tool_use",
    "tool_use": "tool_use",
    "stop": "end",
    "end_turn": "end",
    "length": "max_tokens",
    "max_tokens": "max_tokens",
    "content_filter": "refusal",
    "refusal": "refusal",
}
MAX_CALLS = 64
MAX_TOKENS = 100_000_000
LATEST = 4_102_444_800
"""The year 2100 in seconds since 1970. Later times are not plausible."""


@dataclass(frozen=True)
class Completion:
    """A provider's answer.

    reply: the part that the published code used
    dropped: calls that the published code ignored
    created: the provider's time in seconds since 1970 UTC; only OpenAI has one
    """

    reply: Reply
    dropped: tuple[ToolCall, ...] = ()
    created: int | None = None


def read_completion(cell: str) -> Completion | None:
    """The response in a cell of the column `completion`; None if it cannot be read. The content is untrusted."""
    try:
        return _read(parse_literal(cell))
    except (NotALiteral, RecursionError):
        return None


def _read(found: Any) -> Completion | None:
    if not isinstance(found, dict):
        return None
    if "choices" in found:
        return _openai(found)
    if "candidates" in found:
        return Completion(_google(found))
    return Completion(_anthropic(found)) if "content" in found else None


def _openai(found: dict[Any, Any]) -> Completion:
    """The published code reads the calls of an OpenAI reply only if it has no text: `if content ... elif tool_calls`."""
    choice = _first(found.get("choices"))
    message = _dict(choice.get("message"))
    calls = [_dict(call) for call in _list(message.get("tool_calls"))]
    made = tuple(_call(call.get("id"), _dict(call.get("function")), "arguments") for call in calls[:MAX_CALLS])
    text = _text(message.get("content"))
    reply = _openai_reply(found, choice, text or _text(message.get("refusal")), () if text else made)
    return Completion(reply, made if text else (), _count(found.get("created"), LATEST) or None)


def _openai_reply(found: dict[Any, Any], choice: dict[Any, Any], text: str, calls: tuple[ToolCall, ...]) -> Reply:
    usage = _dict(found.get("usage"))
    return Reply(
        text=text,
        calls=calls,
        usage=Usage(
            input_tokens=_count(usage.get("prompt_tokens")),
            cached_tokens=_count(_dict(usage.get("prompt_tokens_details")).get("cached_tokens")),
            output_tokens=_count(usage.get("completion_tokens")),
            reasoning_tokens=_count(_dict(usage.get("completion_tokens_details")).get("reasoning_tokens")),
        ),
        stop=STOPS.get(_text(choice.get("finish_reason")), "other"),
        model=_text(found.get("model"))[:200],
    )


def _anthropic(found: dict[Any, Any]) -> Reply:
    blocks = [_dict(block) for block in _list(found.get("content"))]
    usage = _dict(found.get("usage"))
    read, written = _count(usage.get("cache_read_input_tokens")), _count(usage.get("cache_creation_input_tokens"))
    made = [_call(block.get("id"), block, "input") for block in blocks if block.get("type") == "tool_use"]
    return Reply(
        text="".join(_text(block.get("text")) for block in blocks if block.get("type") == "text"),
        calls=tuple(made[:MAX_CALLS]),
        usage=Usage(
            input_tokens=_count(usage.get("input_tokens")) + read + written,
            cached_tokens=read,
            cache_write_tokens=written,
            output_tokens=_count(usage.get("output_tokens")),
        ),
        stop=STOPS.get(_text(found.get("stop_reason")), "other"),
        model=_text(found.get("model"))[:200],
    )


def _google(found: dict[Any, Any]) -> Reply:
    candidate = _first(found.get("candidates"))
    parts = [_dict(part) for part in _list(_dict(candidate.get("content")).get("parts"))]
    usage = _dict(found.get("usage_metadata"))
    made = [_call("", _dict(part["function_call"]), "args") for part in parts if "function_call" in part]
    return Reply(
        text="".join(_text(part.get("text")) for part in parts),
        calls=tuple(made[:MAX_CALLS]),
        usage=Usage(
            input_tokens=_count(usage.get("prompt_token_count")),
            cached_tokens=_count(usage.get("cached_content_token_count")),
            output_tokens=_count(usage.get("candidates_token_count")),
        ),
        stop="tool_use" if made else "end",
    )


def _call(number: Any, function: dict[Any, Any], key: str) -> ToolCall:
    arguments = function.get(key)
    raw = _text(arguments) if isinstance(arguments, str) else ""
    if isinstance(arguments, str):
        arguments = _arguments(arguments)
    known = arguments if isinstance(arguments, dict) else None
    return ToolCall(
        id=_text(number)[:100],
        name=_text(function.get("name"))[:100],
        arguments=None if known is None else _plain(known),
        raw=raw if known is None else "",
    )


def _arguments(text: str) -> Any:
    """The published code reads arguments as Python literals, so `{'notes': 'x'}` is valid too."""
    try:
        return read_json(text, lenient=True)
    except NotJSON:
        pass
    try:
        return parse_literal(text)
    except NotALiteral:
        return None


def _plain(value: Any) -> Any:
    """The value in a form that JSON and every database accept."""
    if isinstance(value, dict):
        return {_text(str(key)): _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and value in (float("inf"), float("-inf")) or value != value:
        return str(value)
    return _text(value) if isinstance(value, str) else value


def _text(value: Any) -> str:
    return storable(value[:MAX_CHARACTERS]) if isinstance(value, str) else ""


def _count(value: Any, most: int = MAX_TOKENS) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= most else 0


def _dict(value: Any) -> dict[Any, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _first(value: Any) -> dict[Any, Any]:
    return _dict(value[0]) if _list(value) else {}
