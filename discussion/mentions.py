"""Whom a text mentions: @name, where the name is a member's."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape

from django.utils.safestring import SafeString, mark_safe

_TAG = re.compile(r"(<[^>]*>)")
_AT = re.compile(r"(?<![\w@.+\-/])@([\w@.+\-]+)")
LITERAL = {"code", "pre"}
"""Elements in which an @ is no mention."""


@dataclass(frozen=True)
class Marked:
    """The HTML with its mentions in <span class="mention">, and the names found, each once, in their order."""

    html: SafeString
    names: tuple[str, ...]


def mark_mentions(html: SafeString, known: Iterable[str]) -> Marked:
    """Find mentions of `known` user names in HTML that is safe already. Capitals do not matter; others stay text."""
    names = {name.lower(): name for name in known}
    longest = max(map(len, names), default=0)
    found: dict[str, None] = {}
    result, literal = [], 0
    for piece in _TAG.split(html):
        if piece.startswith("<"):
            if piece.strip("</>") in LITERAL:
                literal += -1 if piece.startswith("</") else 1
        elif names and not literal and "@" in piece:
            piece = _AT.sub(lambda match: _marked(match, names, found, longest), piece)
        result.append(piece)
    return Marked(mark_safe("".join(result)), tuple(found))  # noqa: S308


def plain_text(html: SafeString) -> str:
    """The words of safe HTML on one line, for an excerpt."""
    return " ".join(unescape(_TAG.sub(" ", html)).split())


def _marked(match: re.Match[str], names: dict[str, str], found: dict[str, None], longest: int) -> str:
    """The longest beginning that is a name; a full stop after it may end the sentence."""
    typed = match[1]
    shortest = max(1, len(typed.rstrip(".+-@")))
    for length in range(min(len(typed), longest), shortest - 1, -1):
        name = typed[:length]
        if name.lower() in names:
            found[names[name.lower()]] = None
            return f'<span class="mention">@{name}</span>{typed[length:]}'
    return match[0]
