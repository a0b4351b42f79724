"""Search over the sections of guides."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from guides.collection import Guide
from guides.markup import Section

LONGEST_QUERY = 100
MOST_WORDS = 8
MOST_HITS = 30
AROUND = 110
"""Characters of an excerpt on each side of its first match."""


@dataclass(frozen=True)
class Hit:
    """A section that matches. `title` and `excerpt` have the words marked; `address` has the section's anchor."""

    guide: str
    title: SafeString
    excerpt: SafeString
    address: str


def search(guides: Iterable[Guide], query: str) -> list[Hit]:
    """Sections with every word of the query, those first that have the words in their heading.

    Words match from their beginning, without regard to capitals.
    """
    words = list(dict.fromkeys(query[:LONGEST_QUERY].casefold().split()))[:MOST_WORDS]
    if not words:
        return []
    patterns, anyone = [_starting(word) for word in words], _starting(*words)
    ranked: list[tuple[int, int, int, Hit]] = []
    for guide in guides:
        for section in guide.sections:
            if all(one.search(section.title) or one.search(section.text) for one in patterns):
                in_title = sum(bool(one.search(section.title)) for one in patterns)
                times = len(anyone.findall(section.text))
                ranked.append((-in_title, -times, len(ranked), _hit(guide, section, anyone)))
    return [hit for *_, hit in sorted(ranked, key=lambda entry: entry[:3])][:MOST_HITS]


def _starting(*words: str) -> re.Pattern[str]:
    """Any of the words at the beginning of a word; an underscore separates words."""
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, words))})", re.IGNORECASE)


def _hit(guide: Guide, section: Section, pattern: re.Pattern[str]) -> Hit:
    found = pattern.search(section.text)
    start = max(0, found.start() - AROUND if found else 0)
    end = (found.end() if found else 0) + 2 * AROUND
    # Cut between words.
    start = section.text.find(" ", start) + 1 if start else 0
    end = max(section.text.rfind(" ", 0, end), start) if end < len(section.text) else len(section.text)
    excerpt = f"{'… ' if start else ''}{section.text[start:end]}{' …' if end < len(section.text) else ''}"
    address = guide.address if section.level == 1 else f"{guide.address}#{section.anchor}"
    return Hit(guide.title, _marked(section.title, pattern), _marked(excerpt, pattern), address)


def _marked(text: str, pattern: re.Pattern[str]) -> SafeString:
    """The text with every match in <mark>."""
    parts, end = [], 0
    for found in pattern.finditer(text):
        parts += [escape(text[end : found.start()]), f"<mark>{escape(found[0])}</mark>"]
        end = found.end()
    return mark_safe("".join([*parts, escape(text[end:])]))  # noqa: S308
