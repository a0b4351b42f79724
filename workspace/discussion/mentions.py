"""Mentions in comments: @name, where the name is a member's user name."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import unescape

from django.utils.safestring import SafeString, mark_safe

_TAG = re.compile(r"(<[^>]*>)")
_AT = re.compile(r"(?<![\w@.+\-/])@([\w@.+\-]+)")
LITERAL = {"code", "pre"}
"""Elements in which an @ is not a mention."""


@dataclass(frozen=True)
class Marked:
    """HTML with its mentions in <span class="mention">, and the distinct names in the order of their first mention."""

    html: SafeString
    names: tuple[str, ...]


def mark_mentions(html: SafeString, usernames: Iterable[str]) -> Marked:
    """Mark mentions of the user names in safe HTML. Case does not matter; other names stay plain text."""
    names = {name.lower(): name for name in usernames}
    longest = max(map(len, names), default=0)
    mentioned: dict[str, None] = {}

    def mark(match: re.Match[str]) -> str:
        """Mark the longest prefix that is a user name, since punctuation after it may belong to the sentence."""
        typed = match[1]
        shortest = max(1, len(typed.rstrip(".+-@")))
        for length in range(min(len(typed), longest), shortest - 1, -1):
            name = typed[:length]
            if name.lower() in names:
                mentioned[names[name.lower()]] = None
                return f'<span class="mention">@{name}</span>{typed[length:]}'
        return match[0]

    result, literal = [], 0
    for piece in _TAG.split(html):
        if piece.startswith("<"):
            if piece.strip("</>") in LITERAL:
                literal += -1 if piece.startswith("</") else 1
        elif names and not literal and "@" in piece:
            piece = _AT.sub(mark, piece)
        result.append(piece)
    return Marked(mark_safe("".join(result)), tuple(mentioned))  # noqa: S308


def plain_text(html: SafeString) -> str:
    """Safe HTML as one line of plain text, for an excerpt."""
    return " ".join(unescape(_TAG.sub(" ", html)).split())
