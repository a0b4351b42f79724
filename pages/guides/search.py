"""Search over the sections of guides."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from pages.guides.collection import Guide
from pages.guides.markup import GuideSection

LONGEST_QUERY = 100
MOST_TERMS = 8
MOST_HITS = 30
EXCERPT_MARGIN = 110
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
    terms = list(dict.fromkeys(query[:LONGEST_QUERY].casefold().split()))[:MOST_TERMS]
    if not terms:
        return []
    patterns, any_term = [_term_pattern(term) for term in terms], _term_pattern(*terms)
    ranked: list[tuple[int, int, int, Hit]] = []
    for guide in guides:
        for section in guide.sections:
            if all(pattern.search(section.title) or pattern.search(section.text) for pattern in patterns):
                in_title = sum(bool(pattern.search(section.title)) for pattern in patterns)
                times = len(any_term.findall(section.text))
                ranked.append((-in_title, -times, len(ranked), _hit(guide, section, any_term)))
    return [hit for *_, hit in sorted(ranked, key=lambda entry: entry[:3])][:MOST_HITS]


def _term_pattern(*terms: str) -> re.Pattern[str]:
    """Any of the words at the beginning of a word; an underscore separates words."""
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, terms))})", re.IGNORECASE)


def _hit(guide: Guide, section: GuideSection, pattern: re.Pattern[str]) -> Hit:
    match = pattern.search(section.text)
    start = max(0, match.start() - EXCERPT_MARGIN if match else 0)
    end = (match.end() if match else 0) + 2 * EXCERPT_MARGIN
    # Cut between words.
    start = section.text.find(" ", start) + 1 if start else 0
    end = max(section.text.rfind(" ", 0, end), start) if end < len(section.text) else len(section.text)
    excerpt = f"{'… ' if start else ''}{section.text[start:end]}{' …' if end < len(section.text) else ''}"
    address = guide.address if section.level == 1 else f"{guide.address}#{section.anchor}"
    return Hit(guide.title, _marked(section.title, pattern), _marked(excerpt, pattern), address)


def _marked(text: str, pattern: re.Pattern[str]) -> SafeString:
    """The text with every match in <mark>."""
    parts, end = [], 0
    for match in pattern.finditer(text):
        parts += [escape(text[end : match.start()]), f"<mark>{escape(match[0])}</mark>"]
        end = match.end()
    return mark_safe("".join([*parts, escape(text[end:])]))  # noqa: S308
