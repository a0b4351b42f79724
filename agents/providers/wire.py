"""Helpers for all wire formats: untrusted JSON, unique call ids, valid tool names, error bodies."""

import json
import math
import re
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any

from agents.llm import ToolCall, ToolResult, Turn
from environments.json_text import MOST_DEPTH, read_json

EMPTY_REPLY = "(empty reply)"
"""Replaces an assistant message without content, because APIs refuse it."""

MAX_TOKENS = 2**31 - 1
"""Maximum token count. Larger counts are nonsense and do not fit into the database column."""

MOST_DIGITS = 12
"""Maximum number of digits of a token count given as text."""

SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")


def parse_json(text: str) -> Any:
    """Parse the body of an answer. Raises ValueError if it is not JSON or is nested too deeply.

    The limits are wider than those for the arguments of a tool call, because the body contains such arguments, and because
    a rejected body may already have been paid for.
    """
    data = _read(text, lenient=True, depth=4 * MOST_DEPTH)
    # Google wraps errors in a list.
    return data[0] if isinstance(data, list) and data else data


def _read(text: str, *, lenient: bool, depth: int) -> Any:
    value = read_json(text, lenient=lenient, depth=depth)
    return _without_surrogates(value) if SURROGATE.search(text) else value


def _without_surrogates(value: Any) -> Any:
    """Replace lone surrogates, which are possible in JSON but not in UTF-8."""
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, list):
        return [_without_surrogates(item) for item in value]
    if isinstance(value, dict):
        return {_without_surrogates(key): _without_surrogates(item) for key, item in value.items()}
    return value


def text_in(value: object) -> str:
    return value if isinstance(value, str) else ""


def dict_in(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def dicts_in(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def first_choice(data: Mapping[str, Any]) -> dict[str, Any]:
    """The first choice in an answer of Chat Completions; empty without one."""
    choices = data.get("choices")
    return dict_in(choices[0]) if isinstance(choices, list) and choices else {}


def read_calls(
    turns: Iterable[Turn], uses: Iterable[Mapping[str, Any]], *, id_name: str, arguments_name: str
) -> Iterator[ToolCall]:
    """Read the calls of one reply. Missing ids and ids repeated in the chat are replaced by unique ones.

    uses: the unchecked calls; their arguments may be JSON text, parsed JSON or empty
    id_name, arguments_name: the names of these fields of a call
    """
    taken = {call.id for turn in turns for call in turn.reply.calls}
    for use in uses:
        call_id, name, arguments = use.get(id_name), text_in(use.get("name")), use.get(arguments_name)
        unique_id = call_id if isinstance(call_id, str) and call_id not in taken else ""
        # Nine letters and digits satisfy the strictest id format of all known endpoints.
        numbered = (f"call{number:05d}" for number in range(len(taken), 100_000))
        unique_id = unique_id or next(invented for invented in numbered if invented not in taken)
        taken.add(unique_id)
        try:
            yield ToolCall(unique_id, name, _object(arguments))
        except ValueError:
            raw = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
            yield ToolCall(unique_id, name, None, raw)


def _object(arguments: object) -> dict[str, Any]:
    if arguments is None or (isinstance(arguments, str) and not arguments.strip()):
        return {}
    # Write parsed arguments as text again, so that the same limits apply to them.
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    value = _read(text, lenient=False, depth=MOST_DEPTH)
    if not isinstance(value, dict):
        raise ValueError("not an object")
    return value


def sendable(value: object) -> bool:
    """Whether a parsed value can be sent as JSON. NaN and 1e999 can be parsed but not sent."""
    with suppress(ValueError):
        return bool(json.dumps(value, allow_nan=False))
    return False


def sendable_name(name: str) -> str:
    """Change the name of a called tool to a form that every provider accepts. Models may call invalid names."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name)[:64] or "unnamed"


def results_in_order(turn: Turn) -> Iterable[ToolResult]:
    """One result for each call of the turn, in the order of the calls, as the APIs require."""
    by_id = {result.call_id: result for result in turn.results}
    return [by_id.get(call.id) or ToolResult(call.id, call.name, "", is_error=True) for call in turn.reply.calls]


def tokens(usage: Any, *path: str) -> int:
    """The token count at `path` in a usage object; 0 if it is missing or invalid."""
    for key in path:
        usage = dict_in(usage).get(key)
    if isinstance(usage, str) and usage.isascii() and usage.isdecimal() and len(usage) < MOST_DIGITS:
        usage = int(usage)
    is_valid = not isinstance(usage, bool) and isinstance(usage, int | float) and 0 < usage <= MAX_TOKENS
    return int(usage) if is_valid else 0


MAX_RETRY_AFTER = 86_400.0
DURATION = re.compile(r"(?:(\d{1,9})h)?(?:(\d{1,9})m)?(?:(\d{1,9}(?:\.\d{1,9})?)s)?", re.ASCII)


def retry_after(headers: Mapping[str, str], body_wait: str = "") -> float | None:
    """Seconds that the provider asked to wait, from 0 to one day; None without a readable time.

    body_wait: the time in the body, such as "32s", used if no header gives one
    """
    text = headers.get("retry-after", "")
    times = (
        _number(headers.get("retry-after-ms", ""), 1000.0),
        _number(text, 1.0),
        _seconds_until(text, headers.get("date", "")),
        _duration(body_wait or text),
    )
    seconds = next((given for given in times if given is not None), None)
    return None if seconds is None else min(max(seconds, 0.0), MAX_RETRY_AFTER)


def _seconds_until(text: str, server_time: str) -> float | None:
    """Seconds until a date. The provider's clock is preferred; ours may be wrong."""
    then, now = _date(text), _date(server_time)
    return None if then is None else then - (time.time() if now is None else now)


def _number(text: str, unit: float) -> float | None:
    with suppress(ValueError):
        return value if math.isfinite(value := float(text) / unit) else None
    return None


def _duration(text: str) -> float | None:
    """Parse a duration such as "32s", "1.5s" or "6m0s" to seconds; None if it is unreadable."""
    parts = DURATION.fullmatch(text.strip())
    if parts is None or not any(parts.groups()):
        return _number(text, 1.0)
    return sum(float(number or 0) * unit for number, unit in zip(parts.groups(), (3600.0, 60.0, 1.0), strict=True))


def _date(text: str) -> float | None:
    with suppress(ValueError, OverflowError):
        return parsedate_to_datetime(text).timestamp()
    return None
