"""Model replies in published logs: the provider's whole response, printed as a Python dictionary."""

import math
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from typing import Any

from agents.llm import Reply, ToolCall, Usage
from agents.notes import MAX_CHARACTERS, storable, whole_number
from environments.json_text import NotJSON, read_json
from transfer.reading.literals import NotALiteral, parse_literal

STOPS = {
    "tool_calls": "tool_use",
    "stop": "end",
    "end_turn": "end",
    "length": "max_tokens",
    "content_filter": "refusal",
}
STOPS |= {ours: ours for ours in ("tool_use", "max_tokens", "refusal")}
MAX_CALLS = 64
MAX_TOKENS = 100_000_000
LATEST = 4_102_444_800
"""The year 2100 in seconds since 1970. Later times are not plausible."""


@dataclass(frozen=True)
class Completion:
    """A provider's answer. reply: the part that the published code used; dropped: calls that it ignored; created: the
    provider's time in seconds since 1970 UTC, which only OpenAI has"""

    reply: Reply
    dropped: tuple[ToolCall, ...] = ()
    created: int | None = None


def read_completion(cell: str) -> Completion | None:
    """The response in a cell of the column `completion`; None if it cannot be read. The content is untrusted."""
    try:
        found = parse_literal(cell)
        if not isinstance(found, dict):
            return None
        if "choices" in found:
            return _openai(found)
        if "candidates" in found:
            return Completion(_google(found))
        return Completion(_anthropic(found)) if "content" in found else None
    except (NotALiteral, RecursionError):
        return None


def _openai(found: dict[Any, Any]) -> Completion:
    """The published code reads the calls of an OpenAI reply only if it has no text: `if content ... elif tool_calls`."""
    choice = _at(found, "choices", 0)
    message = _at(choice, "message")
    made = _calls((call, _at(call, "function"), "arguments") for call in _list(_at(message, "tool_calls")))
    text = _text(_at(message, "content"))
    reply = Reply(
        text=text or _text(_at(message, "refusal")),
        calls=() if text else made,
        usage=Usage(
            input_tokens=_count(found, "usage", "prompt_tokens"),
            cached_tokens=_count(found, "usage", "prompt_tokens_details", "cached_tokens"),
            output_tokens=_count(found, "usage", "completion_tokens"),
            reasoning_tokens=_count(found, "usage", "completion_tokens_details", "reasoning_tokens"),
        ),
        stop=STOPS.get(_text(_at(choice, "finish_reason")), "other"),
        model=_text(_at(found, "model"))[:200],
    )
    return Completion(reply, made if text else (), _count(found, "created", most=LATEST) or None)


def _anthropic(found: dict[Any, Any]) -> Reply:
    blocks = _list(found["content"])
    read = _count(found, "usage", "cache_read_input_tokens")
    written = _count(found, "usage", "cache_creation_input_tokens")
    return Reply(
        text="".join(_text(_at(block, "text")) for block in blocks if _at(block, "type") == "text"),
        calls=_calls((block, block, "input") for block in blocks if _at(block, "type") == "tool_use"),
        usage=Usage(
            input_tokens=_count(found, "usage", "input_tokens") + read + written,
            cached_tokens=read,
            cache_write_tokens=written,
            output_tokens=_count(found, "usage", "output_tokens"),
        ),
        stop=STOPS.get(_text(_at(found, "stop_reason")), "other"),
        model=_text(_at(found, "model"))[:200],
    )


def _google(found: dict[Any, Any]) -> Reply:
    parts = [part for part in _list(_at(found, "candidates", 0, "content", "parts")) if isinstance(part, dict)]
    made = _calls(({}, part["function_call"], "args") for part in parts if "function_call" in part)
    return Reply(
        text="".join(_text(part.get("text")) for part in parts),
        calls=made,
        usage=Usage(
            input_tokens=_count(found, "usage_metadata", "prompt_token_count"),
            cached_tokens=_count(found, "usage_metadata", "cached_content_token_count"),
            output_tokens=_count(found, "usage_metadata", "candidates_token_count"),
        ),
        stop="tool_use" if made else "end",
    )


def _calls(made: Iterable[tuple[Any, Any, str]]) -> tuple[ToolCall, ...]:
    """The calls of a reply, each given as the part with its id, the function and the key of its arguments."""
    calls = []
    for part, function, key in islice(made, MAX_CALLS):
        arguments = known = _at(function, key)
        if isinstance(arguments, str):
            try:
                known = read_json(arguments, lenient=True)
            except NotJSON:
                # The published code reads arguments as Python literals, so `{'notes': 'x'}` is valid too.
                with suppress(NotALiteral):
                    known = parse_literal(arguments)
        calls.append(
            ToolCall(
                id=_text(_at(part, "id"))[:100],
                name=_text(_at(function, "name"))[:100],
                arguments=_plain(known) if isinstance(known, dict) else None,
                raw="" if isinstance(known, dict) else _text(arguments),
            )
        )
    return tuple(calls)


def _plain(value: Any) -> Any:
    """The value in a form that JSON and every database accept."""
    if isinstance(value, dict):
        return {_text(str(key)): _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return _text(value) if isinstance(value, str) else value


def _at(value: Any, *path: str | int) -> Any:
    """The value under keys and indexes; None if a part of the path is missing or has another type."""
    for key in path:
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and key < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: Any) -> str:
    return storable(value[:MAX_CHARACTERS]) if isinstance(value, str) else ""


def _count(found: Any, *path: str, most: int = MAX_TOKENS) -> int:
    value = whole_number(_at(found, *path))
    return value if value is not None and 0 <= value <= most else 0


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
