"""A reader of Python literals. The cells of published logs hold dictionaries and lists in this form.

`ast.literal_eval` takes gigabytes for some small texts, and deeply nested ones crash the interpreter. This scanner is
linear in time and memory. It reads NumPy's wrapped numbers, such as np.float64(1.0), as numbers.
"""

import re
from typing import Any

MAX_LENGTH = 2 * 1024 * 1024
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
_NO_KEY = object()


class NotALiteral(ValueError):
    """The text is not a literal. The message says why, without the position."""


class _Open:
    """A list, dictionary or NumPy wrapper whose closing bracket was not read yet. A wrapper's content is its number."""

    __slots__ = ("closing", "is_wrapper", "items", "key", "values")

    def __init__(self, opening: str):
        self.closing = _CLOSING[opening[-1]]
        self.is_wrapper = len(opening) > 1
        self.items: list[Any] = []
        self.values: dict[Any, Any] | None = {} if opening == "{" else None
        self.key: Any = _NO_KEY

    def add(self, value: Any) -> str:
        """Add a value. Returns what must follow it: ':' after a key, otherwise '', which stands for a comma or the end."""
        if self.values is None:
            self.items.append(value)
        elif self.key is not _NO_KEY:
            self.values[self.key], self.key = value, _NO_KEY
        elif not isinstance(value, str | int | float):
            raise NotALiteral("a key is neither text nor a number")
        elif value in self.values:
            raise NotALiteral(f"the key {value!r:.40} appears twice")
        else:
            self.key = value
            return ":"
        return ""

    def content(self) -> Any:
        if not self.is_wrapper:
            return self.items if self.values is None else self.values
        if len(self.items) != 1:
            raise NotALiteral("a wrapped number is not one number")
        return self.items[0]


def parse_literal(text: str) -> Any:
    """Read None, booleans, numbers, strings, lists, and dictionaries with strings or numbers as keys.

    Tuples become lists. One pass over the tokens uses a stack of its own, so nesting cannot exhaust the interpreter's
    stack. Raises NotALiteral.
    """
    if len(text) > MAX_LENGTH:
        raise NotALiteral(f"it is longer than {MAX_LENGTH:,} characters")
    position, length = 0, len(text.rstrip())
    stack: list[_Open] = []
    awaited = "value"
    while True:
        match = _TOKEN.match(text, position)
        if match is None:
            raise NotALiteral(f"it cannot be read near {text[position : position + 20]!r}")
        position = match.end()
        kind = match.lastgroup or ""
        token = match[kind]
        top = stack[-1] if stack else None
        if kind == "mark" and top is not None and token == top.closing and awaited != ":" and top.key is _NO_KEY:
            value = stack.pop().content()
        elif awaited != "value":
            if token != (awaited or ","):
                raise NotALiteral(f"a {awaited or 'comma'} is missing before {token[:20]!r}")
            awaited = "value"
            continue
        elif kind == "wrapper" or token in _CLOSING:
            if len(stack) >= MAX_NESTING:
                raise NotALiteral(f"it is nested more than {MAX_NESTING} deep")
            stack.append(_Open(token))
            continue
        else:
            value = _scalar(kind, token)
        if not stack:
            if position < length:
                raise NotALiteral("something follows the value")
            return value
        awaited = stack[-1].add(value)


def _scalar(kind: str, token: str) -> Any:
    if kind == "string":
        return _ESCAPE.sub(_unescaped, token[1:-1])
    if kind == "number" and len(token) > MAX_DIGITS:
        raise NotALiteral("a number has too many digits")
    if kind == "number":
        return int(token) if token.lstrip("+-").isdigit() else float(token)
    if kind == "word" and token in _WORDS:
        return _WORDS[token]
    raise NotALiteral(f"{token[:20]!r} is not a value")


def _unescaped(match: re.Match[str]) -> str:
    code = match.group(1)
    if code[0] in "xuU" and len(code) > 1:
        point = int(code[1:], 16)
        return chr(point) if point < 0x110000 else "\ufffd"
    if code[0] in "01234567":
        return chr(int(code, 8))
    return _LETTERS.get(code, code if code in "\\'\"" else "\\" + code)
