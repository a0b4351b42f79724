"""Parser for actions that a model wrote: a flat dict of scalars, as JSON or as a Python literal.

A token scanner replaces `ast` and `json`: it takes linear time and memory and cannot recurse on hostile text.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Mapping
from contextlib import suppress
from threading import Lock

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
_WORDS: dict[str, object] = {"True": True, "true": True, "False": False, "false": False, "None": None, "null": None}
_WORDS |= {name: float(name) for name in ("nan", "NaN", "inf", "-inf", "Infinity", "-Infinity")}
_MAX_DIGITS = 400
_MAX_BITS = 4 * _MAX_DIGITS

_one_parser = Lock()
"""CPython 3.11 counts the depth of syntax trees in one variable for all threads, so only one thread may parse."""

Scalar = str | int | float | bool | None


def parse_flat_dict(raw: object, argument: str) -> dict[str, Scalar]:
    """The dict in `raw`, a string or a dict. Raises ToolError, which names `argument`, for anything else."""
    if isinstance(raw, Mapping):
        return _checked_mapping(raw, argument)
    if not isinstance(raw, str):
        raise ToolError(f"{argument} must be a string holding a dictionary, but it was {_kind(raw)}.")
    if len(raw) > MAX_LENGTH:
        raise ToolError(f"{argument} is {len(raw):,} characters long; at most {MAX_LENGTH:,} are accepted.")
    return _Scanner(raw, argument).dictionary()


def _checked_mapping(raw: Mapping[object, object], argument: str) -> dict[str, Scalar]:
    result: dict[str, Scalar] = {}
    for key, value in raw.items():
        if not isinstance(key, str):
            raise ToolError(f"The keys of {argument} must be strings.")
        if not isinstance(value, str | int | float | bool | None):
            raise ToolError(f"The value of {key!r:.60} in {argument} must be a single value, not {_kind(value)}.")
        if isinstance(value, int) and value.bit_length() > _MAX_BITS:
            raise ToolError(f"The value of {key!r:.60} in {argument} is a number of too many digits.")
        result[key] = value
    return result


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

    def _at(self, mark: str) -> bool:
        match = _TOKEN.match(self.text, self.position)
        return match is not None and match.group("mark") == mark

    def _mark(self, mark: str, rule: str) -> None:
        match = _TOKEN.match(self.text, self.position)
        if match is None or match.group("mark") != mark:
            raise ToolError(f"{self.argument} could not be read as a dictionary: it must {rule}.")
        self.position = match.end()

    def _scalar(self) -> Scalar:
        match = _TOKEN.match(self.text, self.position)
        if match is None or match.group("mark"):
            near = self.text[self.position : self.position + 20]
            raise ToolError(
                f"{self.argument} could not be read as a dictionary of single values: trouble near {near!r}."
            )
        self.position = match.end()
        if match.group("string"):
            return self._string(match.group("string"))
        if match.group("number"):
            return self._number(match.group("number"))
        word = match.group("word")
        if word not in _WORDS:
            raise ToolError(f"{self.argument} contains {word[:40]!r}, which is neither quoted text nor a number.")
        return _WORDS[word]  # type: ignore[return-value]

    def _string(self, token: str) -> str:
        try:
            value = _unquoted(token)
            value.encode("utf-8")
        except (ValueError, SyntaxError):
            raise ToolError(f"{self.argument} contains text that could not be read: {token[:40]!r}.") from None
        return value

    def _number(self, token: str) -> int | float:
        if len(token) > _MAX_DIGITS:
            raise ToolError(f"{self.argument} contains a number of {len(token)} digits, which is too long.")
        return int(token) if re.fullmatch(r"[+-]?\d+", token) else float(token)


def _unquoted(token: str) -> str:
    """The text of a quoted token: a JSON string if it is valid JSON, else a Python string."""
    if token[0] == '"':
        with suppress(ValueError):
            return str(json.loads(token, strict=False))
    with _one_parser:
        return str(ast.literal_eval(token))
