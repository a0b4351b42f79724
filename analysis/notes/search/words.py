"""Words in the form that the index compares, and the terms of a typed query. Pure functions.

A word is a sequence of letters and digits. Case and accents do not count. Both databases get the same words, so that a
search gives the same hits on each.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

WORD = re.compile(r"[^\W_]+")
PART = re.compile(r'"([^"]*)"?(\*?)|([^\s"]+)')

LONGEST_TEXT = 100_000
"""Characters of a text in the index. PostgreSQL limits the words of one row."""
LONGEST_THINKING = 20_000
"""Characters of the thinking of a reply in the index. Some models think for hundreds of thousands in one reply."""
LONGEST_WORD = 200
LONGEST_QUERY, MOST_TERMS = 500, 20
SHORTEST_PREFIX = 3
"""Characters before a star. Shorter beginnings match so many words that a search takes seconds."""
SHORT = f"A star needs {SHORTEST_PREFIX} letters or digits before it."
SNIPPET = 260
"""Characters of a snippet."""
BEFORE = 60
"""Characters of a snippet before its first match."""


@dataclass(frozen=True)
class Term:
    """Words that must follow each other. is_prefix: whether the last one is only the beginning of a word"""

    words: tuple[str, ...]
    is_prefix: bool = False


@dataclass(frozen=True)
class SearchQuery:
    """A query; a text matches if it has every term. note: a sentence on the ignored parts of the typed text, or empty"""

    terms: tuple[Term, ...]
    note: str = ""


def folded(text: str) -> str:
    """The text without accents. It keeps its number of characters."""
    return text if text.isascii() else "".join(unicodedata.normalize("NFD", letter)[0] for letter in text)


def words_of(text: str) -> list[str]:
    return [word[:LONGEST_WORD] for word in WORD.findall(folded(text[:LONGEST_TEXT]).lower())]


def indexed_words(text: str) -> str:
    return " ".join(words_of(text))


def parse_query(typed: str) -> SearchQuery:
    """Parse a typed query.

    Words and "phrases" must all occur; a star at the end stands for any ending. Nothing else is special.
    """
    parts = [
        (words, bool(star) or text.endswith("*"))
        for phrase, star, word in PART.findall(typed[:LONGEST_QUERY])
        for text in [phrase or word]
        if (words := tuple(words_of(text)))
    ]
    is_long = [len(words[-1]) >= SHORTEST_PREFIX for words, _ in parts]
    terms = dict.fromkeys(Term(words, star and long) for (words, star), long in zip(parts, is_long, strict=True))
    notes = {
        f"Only the first {LONGEST_QUERY} characters were searched for.": len(typed) > LONGEST_QUERY,
        SHORT: any(star and not long for (_, star), long in zip(parts, is_long, strict=True)),
        f"Only the first {MOST_TERMS} different words were searched for.": len(terms) > MOST_TERMS,
    }
    return SearchQuery(tuple(terms)[:MOST_TERMS], " ".join(note for note, applies in notes.items() if applies))


def fts5_query(query: SearchQuery, scope: Sequence[str]) -> str:
    """The query in the syntax of SQLite's FTS5. scope: words that the column `scope` must contain"""
    within = [f'scope : "{word}"' for word in scope]
    return " AND ".join([*within, *(f'words : "{" ".join(term.words)}"{"*" * term.is_prefix}' for term in query.terms)])


def tsquery(query: SearchQuery) -> str:
    """The query in the syntax of PostgreSQL's to_tsquery."""
    phrases = [" <-> ".join(f"'{word}'" for word in term.words) + ":*" * term.is_prefix for term in query.terms]
    return " & ".join(f"({phrase})" for phrase in phrases)


def pattern_of(query: SearchQuery) -> re.Pattern[str]:
    """A pattern that finds the terms in a folded text."""
    terms = [r"[\W_]+".join(term.words) + (r"[^\W_]*" if term.is_prefix else "") for term in query.terms]
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(terms)})(?![^\W_])", re.IGNORECASE)


def snippet(text: str, pattern: re.Pattern[str]) -> list[tuple[str, bool]]:
    """The text around its first match, as (piece, is a match) pairs."""
    text = text[:LONGEST_TEXT]
    first_match = pattern.search(folded(text))
    start = max(0, first_match.start() - BEFORE) if first_match else 0
    if start:
        # The snippet begins with a whole word.
        blank = re.compile(r"\s").search(text, start, start + BEFORE)
        start = blank.end() if blank else start
    excerpt = text[start : start + SNIPPET]
    shown = f"{excerpt} …" if start + SNIPPET < len(text) else excerpt
    ends = [end for match in pattern.finditer(folded(excerpt)) for end in match.span()]
    pieces = [(shown[low:high], bool(index % 2)) for index, (low, high) in enumerate(pairwise([0, *ends, len(shown)]))]
    return [piece for piece in (("… " if start else "", False), *pieces) if piece[0]]


def reply_text(reply: dict[str, Any] | None, skipped: str) -> str:
    """The text of a stored reply, with the arguments of its tool calls.

    skipped: the tool whose arguments are left out, since notes are indexed themselves
    """
    if not isinstance(reply, dict):
        return ""
    calls = [
        f"{call.get('name')}: "
        + (str(call.get("raw") or "") if call.get("arguments") is None else " ".join(_texts(call["arguments"])))
        for call in reply.get("calls") or ()
        if call.get("name") != skipped
    ]
    return "\n".join(filter(None, [str(reply.get("text") or ""), *calls]))


def thinking_text(reply: dict[str, Any] | None) -> str:
    """The searchable part of the thinking in a stored reply. Replies of earlier versions have none."""
    return str(reply.get("thinking") or "")[:LONGEST_THINKING] if isinstance(reply, dict) else ""


def _texts(value: Any) -> list[str]:
    """The keys and values of a JSON value as texts, in order."""
    if isinstance(value, dict):
        return [text for key, inner in value.items() for text in (f"{key}:", *_texts(inner))]
    if isinstance(value, list):
        return [text for inner in value for text in _texts(inner)]
    return [str(value)]
