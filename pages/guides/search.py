"""The search over the sections of all guides, ranked by where the words are."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import log

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from pages.guides.collection import Guide, documents
from pages.guides.markup import GuideSection

LONGEST_QUERY = 100
MOST_TERMS = 8
MOST_HITS = 30
MOST_HITS_OF_A_DOCUMENT = 5
EXCERPT_MARGIN = 110
"""Characters of an excerpt on each side of its first match."""

IN_TITLE, IN_HEADING, IN_TEXT = 2.0, 4.0, 1.0
"""What a word counts where it is, times its rarity."""

LEAST_SHARE = 0.3
"""Sections with a smaller share of the best section's rank are left out."""

_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class Hit:
    """A section that matches. `title` and `excerpt` have the words marked; `address` includes the section's anchor."""

    title: SafeString
    excerpt: SafeString
    address: str


@dataclass(frozen=True)
class Found:
    """A document with its hits, the best first."""

    title: str
    address: str
    hits: Sequence[Hit]


def search(query: str) -> list[Found]:
    """Documents with any word of the query, the best first.

    A section ranks by how many of the words it has, how rare these are, and whether they are in the title of the
    document, in the section's heading or in its text. A word of the query matches the beginning of a word in the text,
    a word of one or two letters only this word. A plural also matches its singular. A word that is nowhere matches the
    words that differ from it in one letter. Case does not matter.
    """
    patterns = [pattern for word in _words(query) if (pattern := _pattern(word))]
    if not patterns:
        return []
    sections = [(guide, section) for guide in documents() for section in guide.sections]
    counts = [sum(_has(section, pattern) for _, section in sections) for pattern in patterns]
    weights = [log(1 + len(sections) / count) for count in counts]
    ranks = [(_rank(guide, section, patterns, weights), guide, section) for guide, section in sections]
    best = max(rank for rank, _, _ in ranks)
    ranks = sorted((row for row in ranks if row[0] >= LEAST_SHARE * best), key=lambda row: -row[0])[:MOST_HITS]
    return _grouped([(guide, section) for _, guide, section in ranks], _any_of(patterns))


def _words(query: str) -> list[str]:
    words = [word.strip(".,;:!?\"'()").casefold() for word in query[:LONGEST_QUERY].replace("\0", " ").split()]
    return list(dict.fromkeys(word for word in words if _WORD.search(word)))[:MOST_TERMS]


@cache
def _vocabulary() -> dict[str, None]:
    """All words of the guides, in their order."""
    texts = (f"{section.title} {section.text}".casefold() for guide in documents() for section in guide.sections)
    return dict.fromkeys(word for text in texts for word in _WORD.findall(text))


def _pattern(word: str) -> re.Pattern[str] | None:
    """A pattern that finds the word at the beginning of a word; None if no guide has it or a word like it."""
    # An underscore separates words.
    whole = r"(?![^\W_])" if len(word) <= 2 else ""
    stem = word[:-1] if len(word) > 4 and word.endswith("s") and not word.endswith("ss") else word
    pattern = re.compile(rf"(?<![^\W_]){re.escape(stem)}{whole}", re.IGNORECASE)
    if any(_has(section, pattern) for guide in documents() for section in guide.sections):
        return pattern
    similar = [other for other in _vocabulary() if len(word) > 3 and _differ_in_one_letter(word, other)]
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(similar)})(?![^\W_])", re.IGNORECASE) if similar else None


def _differ_in_one_letter(first: str, second: str) -> bool:
    """Whether one letter was changed, left out, added or exchanged with its neighbour."""
    short, long = sorted((first, second), key=len)
    if len(long) - len(short) > 1:
        return False
    start = next((i for i, pair in enumerate(zip(short, long, strict=False)) if pair[0] != pair[1]), len(short))
    rest_short, rest_long = short[start:], long[start:]
    if len(short) < len(long):
        return rest_short == rest_long[1:]
    return rest_short[1:] == rest_long[1:] or (
        rest_short[:2] == rest_long[:2][::-1] and rest_short[2:] == rest_long[2:]
    )


def _has(section: GuideSection, pattern: re.Pattern[str]) -> bool:
    return bool(pattern.search(section.title) or pattern.search(section.text))


def _rank(guide: Guide, section: GuideSection, patterns: list[re.Pattern[str]], weights: list[float]) -> float:
    rank = 0.0
    for pattern, weight in zip(patterns, weights, strict=True):
        if _has(section, pattern):
            in_title, in_heading = bool(pattern.search(guide.title)), bool(pattern.search(section.title))
            often = min(3, len(pattern.findall(section.text))) / 3
            rank += weight * (IN_TITLE * in_title + IN_HEADING * in_heading + IN_TEXT * (1 + often))
    return rank


def _any_of(patterns: Iterable[re.Pattern[str]]) -> re.Pattern[str]:
    return re.compile("|".join(pattern.pattern for pattern in patterns), re.IGNORECASE)


def _grouped(sections: list[tuple[Guide, GuideSection]], pattern: re.Pattern[str]) -> list[Found]:
    by_document: dict[str, list[tuple[Guide, GuideSection]]] = {}
    for guide, section in sections:
        by_document.setdefault(guide.address, []).append((guide, section))
    return [
        Found(rows[0][0].title, address, [_hit(*row, pattern) for row in rows[:MOST_HITS_OF_A_DOCUMENT]])
        for address, rows in by_document.items()
    ]


def _hit(guide: Guide, section: GuideSection, pattern: re.Pattern[str]) -> Hit:
    match = pattern.search(section.text)
    start = max(0, match.start() - EXCERPT_MARGIN if match else 0)
    end = (match.end() if match else 0) + 2 * EXCERPT_MARGIN
    # The excerpt is cut between words.
    start = section.text.find(" ", start) + 1 if start else 0
    end = max(section.text.rfind(" ", 0, end), start) if end < len(section.text) else len(section.text)
    excerpt = f"{'… ' if start else ''}{section.text[start:end]}{' …' if end < len(section.text) else ''}"
    address = guide.address if section.level == 1 else f"{guide.address}#{section.anchor}"
    return Hit(_marked(section.title, pattern), _marked(excerpt, pattern), address)


def _marked(text: str, pattern: re.Pattern[str]) -> SafeString:
    """The text with every match in <mark>."""
    parts, end = [], 0
    for match in pattern.finditer(text):
        parts += [escape(text[end : match.start()]), f"<mark>{escape(match[0])}</mark>"]
        end = match.end()
    return mark_safe("".join([*parts, escape(text[end:])]))  # noqa: S308
