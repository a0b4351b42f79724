"""Model replies in published logs: the provider's whole response, printed as a Python dictionary."""

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice, starmap
from typing import Any

from agents.llm import Reply, ToolCall, Usage
from agents.tools import MAX_CHARACTERS, storable, whole_number
from environments.json_text import NotJSON, read_json
from infrastructure.text.literals import NotALiteral, parse_literal

STOPS = {
    "tool_calls": "tool_use",
    "stop": "end",
    "end_turn": "end",
    "length": "max_tokens",
    "content_filter": "refusal",
} | {ours: ours for ours in ("tool_use", "max_tokens", "refusal")}
MAX_CALLS = 64
MAX_TOKENS = 100_000_000
LATEST = 4_102_444_800
"""The year 2100 in seconds since 1970. Later times are not plausible."""


@dataclass(frozen=True)
class Completion:
    """A provider's answer.

    reply: the part that the published code used; dropped: calls that it ignored
    created: the provider's time in seconds since 1970 UTC, which only OpenAI gives
    """

    reply: Reply
    dropped: tuple[ToolCall, ...] = ()
    created: int | None = None


def read_completion(cell: str) -> Completion | None:
    """The response in a cell of the column `completion`; None if it cannot be read. The content is untrusted."""
    try:
        response = parse_literal(cell)
        keys = response if isinstance(response, dict) else ()
        return next((read(response) for key, read in READERS.items() if key in keys), None)
    except (NotALiteral, RecursionError):
        return None


def _openai(response: dict[Any, Any]) -> Completion:
    """Read an OpenAI response.

    The published code reads the calls only if the response has no text: its code is
    `if content ... elif tool_calls`.
    """
    choice = _at(response, "choices", 0)
    message = _at(choice, "message")
    tool_calls = _calls((call, _at(call, "function"), "arguments") for call in _list(_at(message, "tool_calls")))
    text = _text(_at(message, "content"))
    return Completion(
        Reply(
            text=text or _text(_at(message, "refusal")),
            calls=() if text else tool_calls,
            usage=Usage(
                input_tokens=_count(response, "usage", "prompt_tokens"),
                cached_tokens=_count(response, "usage", "prompt_tokens_details", "cached_tokens"),
                output_tokens=_count(response, "usage", "completion_tokens"),
                reasoning_tokens=_count(response, "usage", "completion_tokens_details", "reasoning_tokens"),
            ),
            stop=STOPS.get(_text(_at(choice, "finish_reason")), "other"),
            model=_text(_at(response, "model"))[:200],
        ),
        tool_calls if text else (),
        _count(response, "created", most=LATEST) or None,
    )


def _anthropic(response: dict[Any, Any]) -> Completion:
    blocks = _list(response["content"])
    read = _count(response, "usage", "cache_read_input_tokens")
    written = _count(response, "usage", "cache_creation_input_tokens")
    return Completion(
        Reply(
            text="".join(_text(_at(block, "text")) for block in blocks if _at(block, "type") == "text"),
            calls=_calls((block, block, "input") for block in blocks if _at(block, "type") == "tool_use"),
            usage=Usage(
                input_tokens=_count(response, "usage", "input_tokens") + read + written,
                cached_tokens=read,
                cache_write_tokens=written,
                output_tokens=_count(response, "usage", "output_tokens"),
            ),
            stop=STOPS.get(_text(_at(response, "stop_reason")), "other"),
            model=_text(_at(response, "model"))[:200],
        )
    )


def _google(response: dict[Any, Any]) -> Completion:
    parts = [part for part in _list(_at(response, "candidates", 0, "content", "parts")) if isinstance(part, dict)]
    tool_calls = _calls(({}, part["function_call"], "args") for part in parts if "function_call" in part)
    return Completion(
        Reply(
            text="".join(_text(part.get("text")) for part in parts),
            calls=tool_calls,
            usage=Usage(
                input_tokens=_count(response, "usage_metadata", "prompt_token_count"),
                cached_tokens=_count(response, "usage_metadata", "cached_content_token_count"),
                output_tokens=_count(response, "usage_metadata", "candidates_token_count"),
            ),
            stop="tool_use" if tool_calls else "end",
        )
    )


READERS: dict[str, Callable[[dict[Any, Any]], Completion]] = {
    "choices": _openai,
    "candidates": _google,
    "content": _anthropic,
}
"""Readers by the key that identifies a provider's response."""


def _calls(logged_calls: Iterable[tuple[Any, Any, str]]) -> tuple[ToolCall, ...]:
    """The calls of a reply. Each logged call is (part with its id, function, key of its arguments)."""
    return tuple(starmap(_call, islice(logged_calls, MAX_CALLS)))


def _call(part: Any, function: Any, key: str) -> ToolCall:
    arguments = parsed_arguments = _at(function, key)
    if isinstance(arguments, str):
        try:
            parsed_arguments = read_json(arguments, lenient=True)
        except NotJSON:
            # The published code reads arguments as Python literals, so `{'notes': 'x'}` is valid too.
            with suppress(NotALiteral):
                parsed_arguments = parse_literal(arguments)
    return ToolCall(
        id=_text(_at(part, "id"))[:100],
        name=_text(_at(function, "name"))[:100],
        arguments=_plain(parsed_arguments) if isinstance(parsed_arguments, dict) else None,
        raw="" if isinstance(parsed_arguments, dict) else _text(arguments),
    )


def _plain(value: Any) -> Any:
    """Convert the value to types that JSON and every database accept."""
    if isinstance(value, dict):
        return {_text(str(key)): _plain(part) for key, part in value.items()}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return _text(value) if isinstance(value, str) else value


def _at(value: Any, *path: str | int) -> Any:
    """The value at a path of keys and indexes; None if a part of the path is missing or has another type."""
    for key in path:
        if isinstance(key, int):
            value = value[key] if isinstance(value, list) and key < len(value) else None
        else:
            value = value.get(key) if isinstance(value, dict) else None
    return value


def _text(value: Any) -> str:
    return storable(value[:MAX_CHARACTERS]) if isinstance(value, str) else ""


def _count(response: Any, *path: str, most: int = MAX_TOKENS) -> int:
    value = whole_number(_at(response, *path))
    return value if value is not None and 0 <= value <= most else 0


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
