"""Values as Python prints them: the cells of the published logs hold dictionaries and lists in this form.

A scanner of its own instead of `ast.literal_eval`, which takes gigabytes for some small texts and fails on deep ones in
ways that are no exception. Time and memory are linear in the text; numbers that NumPy wraps are read as numbers.
"""

from __future__ import annotations

import re
from typing import Any

MAX_LENGTH = 8 * 1024 * 1024
MAX_NESTING = 16
MAX_DIGITS = 320

_SPACE = r"[ \t\r\n]*+"
_TOKEN = re.compile(
    _SPACE + r"""(?:(?P<string>'(?:[^'\\]++|\\.)*+'|"(?:[^"\\]++|\\.)*+")"""
    r"""|(?P<number>[+-]?+(?:\d++\.?+\d*+|\.\d++)(?:[eE][+-]?+\d++)?+)"""
    r"""|(?P<wrapper>(?:np|numpy)\.\w{1,12}\()"""
    r"""|(?P<word>[+-]?+[A-Za-z]\w{0,20})"""
    r"""|(?P<mark>[\[\](){},:]))""",
    re.DOTALL,
)
_ESCAPE = re.compile(r"\\(x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0-7]{1,3}|.)", re.DOTALL)
_LETTERS = {"n": "\n", "t": "\t", "r": "\r", "\n": "", "a": "\a", "b": "\b", "f": "\f", "v": "\v"}
_WORDS = {"None": None, "True": True, "False": False, "nan": float("nan"), "inf": float("inf"), "-inf": float("-inf")}
_CLOSING = {"[": "]", "(": ")", "{": "}"}


class NotALiteral(ValueError):
    """Text that is no such value; the message says what is wrong, without naming the place."""


def parse_literal(text: str) -> Any:
    """None, booleans, numbers, strings, lists (of tuples too) and dictionaries with strings or numbers as keys.

    Raises NotALiteral.
    """
    if len(text) > MAX_LENGTH:
        raise NotALiteral(f"it is longer than {MAX_LENGTH:,} characters")
    scanner = _Scanner(text)
    value = scanner.value(0)
    if scanner.text[scanner.position :].strip():
        raise NotALiteral("something follows the value")
    return value


class _Scanner:
    def __init__(self, text: str):
        self.text = text
        self.position = 0

    def _next(self) -> re.Match[str]:
        match = _TOKEN.match(self.text, self.position)
        if match is None:
            raise NotALiteral(f"it cannot be read near {self.text[self.position : self.position + 20]!r}")
        self.position = match.end()
        return match

    def _mark_ahead(self) -> str:
        match = _TOKEN.match(self.text, self.position)
        return (match.group("mark") or "") if match else ""

    def value(self, depth: int) -> Any:
        if depth > MAX_NESTING:
            raise NotALiteral(f"it is nested more than {MAX_NESTING} deep")
        match = self._next()
        kind, token = match.lastgroup, match.group(match.lastgroup or 0)
        if kind == "string":
            return _unquoted(token)
        if kind == "number":
            return _number(token)
        if kind == "wrapper":
            wrapped = self.value(depth + 1)
            self._close(")")
            return wrapped
        if kind == "word" and token in _WORDS:
            return _WORDS[token]
        if token == "{":
            return self._dictionary(depth)
        if token in ("[", "("):
            return self._items(_CLOSING[token], depth)
        raise NotALiteral(f"{token[:20]!r} is no value")

    def _close(self, wanted: str) -> None:
        match = self._next()
        if match.group("mark") != wanted:
            raise NotALiteral(f"a {wanted} is missing")

    def _items(self, closing: str, depth: int) -> list[Any]:
        items = []
        while self._mark_ahead() != closing:
            items.append(self.value(depth + 1))
            if self._mark_ahead() != closing:
                self._close(",")
        self._close(closing)
        return items

    def _dictionary(self, depth: int) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        while self._mark_ahead() != "}":
            key = self.value(depth + 1)
            if not isinstance(key, str | int | float):
                raise NotALiteral("a key is neither text nor a number")
            if key in found:
                raise NotALiteral(f"the key {key!r:.40} appears twice")
            self._close(":")
            found[key] = self.value(depth + 1)
            if self._mark_ahead() != "}":
                self._close(",")
        self._close("}")
        return found


def _number(token: str) -> int | float:
    if len(token) > MAX_DIGITS:
        raise NotALiteral("a number has too many digits")
    return int(token) if token.lstrip("+-").isdigit() else float(token)


def _unquoted(token: str) -> str:
    inner = token[1:-1]
    return _ESCAPE.sub(_escaped, inner) if "\\" in inner else inner


def _escaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if code[0] in "xuU" and len(code) > 1:
        point = int(code[1:], 16)
        return chr(point) if point < 0x110000 else "\ufffd"
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _LETTERS.get(code, code if code in "\\'\"" else "\\" + code)
