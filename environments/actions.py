"""Parsers for the actions of agents, and checks that several environments share. Errors are one sentence for the agent.

A token scanner replaces `ast` and `json`: it takes linear time and memory and cannot recurse on hostile text.
"""

import ast
import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from threading import Lock
from typing import Any

from environments.base import ToolError

MAX_LENGTH = 64 * 1024

_TOKEN = re.compile(
    r"""\s*(?:
        (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<number>[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)(?![\w.])
      | (?P<word>[+-]?[A-Za-z_]\w*)
      | (?P<mark>[{}:,])
    )""",
    re.VERBOSE | re.DOTALL,
)
Scalar = str | int | float | bool | None
_WORDS: dict[str, Scalar] = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}
_WORDS |= {name: float(name) for name in ("nan", "NaN", "inf", "-inf", "Infinity", "-Infinity")}
_MAX_DIGITS = 400
_MAX_BITS = 4 * _MAX_DIGITS

_one_parser = Lock()
"""Lock around `ast` parsing: CPython 3.11 keeps the depth of syntax trees in one variable for all threads."""


def parse_flat_dict(raw: object, argument: str) -> dict[str, Any]:
    """Return `raw`, a string or a dict, as a new dict of scalars. Raises ToolError, which names `argument`, otherwise."""
    if isinstance(raw, str):
        if len(raw) > MAX_LENGTH:
            raise ToolError(f"{argument} is {len(raw):,} characters long; at most {MAX_LENGTH:,} are accepted.")
        return _Scanner(raw, argument).dictionary()
    if not isinstance(raw, Mapping):
        raise ToolError(f"{argument} must be a string holding a dictionary, but it was {_kind(raw)}.")
    for key, value in raw.items():
        if not isinstance(key, str):
            raise ToolError(f"The keys of {argument} must be strings.")
        if not isinstance(value, str | int | float | bool | None):
            raise ToolError(f"The value of {key!r:.60} in {argument} must be a single value, not {_kind(value)}.")
        if isinstance(value, int) and value.bit_length() > _MAX_BITS:
            raise ToolError(f"The value of {key!r:.60} in {argument} is a number of too many digits.")
    return dict(raw)


def _kind(value: object) -> str:
    names = {type(None): "null", bool: "a boolean", int: "a number", float: "a number", str: "a string", list: "a list"}
    return "a dictionary" if isinstance(value, Mapping) else names.get(type(value), f"a {type(value).__name__}")


class _Scanner:
    def __init__(self, text: str, argument: str):
        self.text = text.strip()
        self.argument = argument
        self.position = 0

    def dictionary(self) -> dict[str, Scalar]:
        self._mark("{", "start with {")
        result: dict[str, Scalar] = {}
        while not self._at("}"):
            key = self._scalar()
            if not isinstance(key, str):
                raise ToolError(f"The keys of {self.argument} must be strings, such as 'A'.")
            if key in result:
                raise ToolError(f"{key!r:.60} appears twice in {self.argument}; give it once.")
            self._mark(":", f"have a colon after {key!r:.60}")
            result[key] = self._scalar()
            if not self._at("}"):
                self._mark(",", f"have a comma or }} after the value of {key!r:.60}")
        self._mark("}", "end with }")
        if self.position != len(self.text):
            raise ToolError(f"{self.argument} must be one dictionary and nothing after it.")
        return result

    def _at(self, mark: str) -> re.Match[str] | None:
        match = _TOKEN.match(self.text, self.position)
        return match if match and match.group("mark") == mark else None

    def _mark(self, mark: str, rule: str) -> None:
        if not (match := self._at(mark)):
            raise ToolError(f"{self.argument} could not be read as a dictionary: it must {rule}.")
        self.position = match.end()

    def _scalar(self) -> Scalar:
        match = _TOKEN.match(self.text, self.position)
        if match is None or match.group("mark"):
            raise ToolError(
                f"{self.argument} could not be read as a dictionary of single values: "
                f"trouble near {self.text[self.position : self.position + 20]!r}."
            )
        self.position = match.end()
        text, number, word = match.group("string", "number", "word")
        if text:
            try:
                value = _unquoted(text)
                value.encode("utf-8")
            except (ValueError, SyntaxError):
                raise ToolError(f"{self.argument} contains text that could not be read: {text[:40]!r}.") from None
            return value
        if number:
            if len(number) > _MAX_DIGITS:
                raise ToolError(f"{self.argument} contains a number of {len(number)} digits, which is too long.")
            return int(number) if re.fullmatch(r"[+-]?\d+", number) else float(number)
        if word not in _WORDS:
            raise ToolError(f"{self.argument} contains {word[:40]!r}, which is neither quoted text nor a number.")
        return _WORDS[word]


def _unquoted(token: str) -> str:
    """The text of a quoted token: a JSON string if it is valid JSON, else a Python string."""
    if token[0] == '"':
        with suppress(ValueError):
            return str(json.loads(token, strict=False))
    with _one_parser:
        return str(ast.literal_eval(token))


LOWEST_LOGGED = -1e6
"""Lowest price accepted in published logs. The code that wrote them did not refuse negative prices."""


def check_keys(entries: dict[str, Any], allowed: Collection[str], what: str, listed: str) -> None:
    """Raise ToolError if a key of `entries` is not in `allowed`. The message calls the allowed keys `listed`."""
    if unknown := [key for key in entries if key not in allowed]:
        raise ToolError(f"Unknown {what} {unknown[0][:40]!r}; the {what}s are {listed}.")


def _check_complete(entries: dict[str, Any], keys: Sequence[str], key: str, value: str) -> None:
    if missing := [k for k in keys if k not in entries]:
        raise ToolError(f"Every {key} needs a {value}; missing: {', '.join(missing)}.")


def parse_bijection(
    raw: object, argument: str, keys: Sequence[str], values: Sequence[str], key: str, value: str
) -> dict[str, Any]:
    """Parse an assignment of every key to a different value. Raises ToolError for anything else."""
    assignment = parse_flat_dict(raw, argument)
    check_keys(assignment, keys, key, f"{keys[0]} to {keys[-1]}")
    _check_complete(assignment, keys, key, value)
    for k, v in assignment.items():
        if v not in values:
            raise ToolError(f"Unknown {value} {str(v)[:40]!r} for {k}; the {value}s are {values[0]} to {values[-1]}.")
    seen: dict[Any, str] = {}
    for k, v in assignment.items():
        if v in seen:
            raise ToolError(
                f"{value.capitalize()} {v} is given to both {seen[v]} and {k}; each {value} may be given once."
            )
        seen[v] = k
    return assignment


def parse_prices(
    raw: object, argument: str, names: Sequence[str], what: str = "product", lowest: float = 0
) -> dict[str, Any]:
    """Parse a price of at least `lowest` for each of these names and no other. Raises ToolError for anything else."""
    prices = parse_flat_dict(raw, argument)
    check_keys(prices, names, what, ", ".join(names))
    _check_complete(prices, names, what, "price")
    for name, price in prices.items():
        if isinstance(price, bool) or not isinstance(price, int | float):
            raise ToolError(f"The price of {name} must be a number, but it was {price!r:.60}.")
        try:
            prices[name] = float(price)
        except OverflowError:
            prices[name] = math.inf
        if not math.isfinite(prices[name]) or prices[name] < lowest:
            raise ToolError(f"The price of {name} must be a finite number of at least {lowest:,.0f}.")
    return prices
