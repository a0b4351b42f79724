"""The guides in their listed order, rendered once per process, and the search over their sections."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from pages.guides.markup import Document, GuideSection, render

FOLDER = Path(__file__).resolve().parents[2] / "docs"

METHODOLOGY = "methodology"
PARTS = (METHODOLOGY, "statistics", "paper-and-published")
"""The files that make up the page of the methodology."""

GROUPS: dict[str, dict[str, str]] = {
    "Using": {
        "commands": "Launch, watch, score and export from the command line.",
        "api": "Do everything that the pages do from a program.",
        "outside-agents": "Play the games with programs of your own.",
        "experiments": "The home page and the page of an experiment, part by part.",
        "instances": "Instances with their optimum, and difficulties of your own.",
        "runs": "The page of a run: live calls, marks, changes of notes, replay and keys.",
        "agents": "Language models: settings, copies, archiving and the connection test.",
        "gateways": "Routers, clouds and own servers: addresses, keys, extra headers and what is lost.",
        "prompts": "Write your own prompts, launch them and read their scores.",
        "budgets": "Limits of cost, prices, estimates and the list of all calls.",
        "import-export": "Files of runs, and logs of the published code.",
        "sharing": "Saved leaderboards, and links for readers without an account.",
        "comments": "Comments, mentions, tags and stars within an organization.",
        "people": "Games in the browser, studies with links for participants, and seasons.",
        "webhooks": "Signed messages to your own server when runs end or budgets are spent.",
    },
    "Evaluating": {
        METHODOLOGY: "Every score, metric, test and generator with formula, source and function.",
        "measured-errors": "How often each test errs and each interval covers, by simulation.",
        "findings": "What the rules say about a run, with their thresholds.",
        "notes": "Themes in the notes of agents, and the search over notes and transcripts.",
        "registrations": "Studies as one file: registered before they are played, and reproduced elsewhere.",
        "stages": "Comparisons that stop as soon as they are decided.",
        "questions": "Questions in words to transcripts, answered with checked quotes.",
        "drift": "Watches that replay instances and say when an agent has changed.",
        "papers": "The environments, and the papers that they come from.",
        "figures": "Measured accuracy and speed, each with the script that measures it.",
    },
    "Operating": {
        "settings": "All variables, and the two ways to set a site up.",
        "operating": "Workers, proxy, backups, upgrades and keys.",
        "monitoring": "Health, readiness, metrics for Prometheus and logs as JSON.",
        "reliability": "What a run survives, and how that is tested.",
        "security": "Who may see and do what, and how it is enforced.",
    },
}
"""(file name: topic) of the guides, by group of readers."""


@dataclass(frozen=True)
class Guide:
    """A guide's page. The first of its `sections` is the title with the text below it."""

    name: str
    about: str
    html: SafeString
    sections: tuple[GuideSection, ...]

    @property
    def title(self) -> str:
        return self.sections[0].title

    @property
    def address(self) -> str:
        return address_of(self.name)

    @property
    def contents(self) -> list[tuple[GuideSection, list[GuideSection]]]:
        """The headings of the second level, each with the headings of the third level below it."""
        entries: list[tuple[GuideSection, list[GuideSection]]] = []
        for section in self.sections:
            if section.level == 2:
                entries.append((section, []))
            elif section.level == 3 and entries:
                entries[-1][1].append(section)
        return entries


def address_of(name: str) -> str:
    return reverse("guides:methodology") if name in PARTS else reverse("guides:guide", args=[name])


@cache
def guides() -> dict[str, list[Guide]]:
    """The guides of each group, in order."""
    return {group: [_guide(name, about) for name, about in entries.items()] for group, entries in GROUPS.items()}


@cache
def guides_by_name() -> dict[str, Guide]:
    return {guide.name: guide for group in guides().values() for guide in group}


@cache
def anchors() -> dict[str, str]:
    """Titles of the methodology's paragraphs, by anchor."""
    return {section.anchor: section.title for section in guides_by_name()[METHODOLOGY].sections}


def _guide(name: str, about: str) -> Guide:
    parts = [_rendered(file, lower=int(file != name)) for file in (PARTS if name == METHODOLOGY else (name,))]
    # The guides are files of the project, reduced to an allow-list of tags.
    html = mark_safe("\n".join(part.html for part in parts))  # noqa: S308
    return Guide(name, about, html, tuple(section for part in parts for section in part.sections))


def _rendered(name: str, lower: int = 0) -> Document:
    return render((FOLDER / f"{name}.md").read_text(encoding="utf-8"), _link_target, lower=lower)


def _link_target(link: str) -> str | None:
    """The address on the site that a link of a guide leads to; None for files that are no page."""
    if link.startswith(("https://", "http://", "#")):
        return link
    path, _, anchor = link.partition("#")
    name = path.removesuffix(".md")
    if name not in PARTS and not any(name in group for group in GROUPS.values()):
        return None
    # A link to a part of the methodology without an anchor leads to the title of that part.
    if not anchor and name in PARTS[1:]:
        anchor = _rendered(name, lower=1).sections[0].anchor
    return f"{address_of(name)}#{anchor}" if anchor else address_of(name)


LONGEST_QUERY = 100
MOST_TERMS = 8
MOST_HITS = 30
EXCERPT_MARGIN = 110
"""Characters of an excerpt on each side of its first match."""


@dataclass(frozen=True)
class Hit:
    """A section that matches. `title` and `excerpt` have the words marked; `address` includes the section's anchor."""

    guide: str
    title: SafeString
    excerpt: SafeString
    address: str


def search(guides: Iterable[Guide], query: str) -> list[Hit]:
    """Sections with every word of the query. Sections with the words in their heading come first.

    A word of the query matches the beginning of a word in the text. Case does not matter.
    """
    terms = list(dict.fromkeys(query[:LONGEST_QUERY].casefold().split()))[:MOST_TERMS]
    if not terms:
        return []
    patterns, any_term = [_term_pattern(term) for term in terms], _term_pattern(*terms)
    matches = [
        (guide, section)
        for guide in guides
        for section in guide.sections
        if all(pattern.search(section.title) or pattern.search(section.text) for pattern in patterns)
    ]

    def rank(match: tuple[Guide, GuideSection]) -> tuple[int, int]:
        in_title = sum(bool(pattern.search(match[1].title)) for pattern in patterns)
        return -in_title, -len(any_term.findall(match[1].text))

    return [_hit(*match, any_term) for match in sorted(matches, key=rank)[:MOST_HITS]]


def _term_pattern(*terms: str) -> re.Pattern[str]:
    """A pattern that finds any of the terms at the beginning of a word. An underscore separates words."""
    return re.compile(rf"(?<![^\W_])(?:{'|'.join(map(re.escape, terms))})", re.IGNORECASE)


def _hit(guide: Guide, section: GuideSection, pattern: re.Pattern[str]) -> Hit:
    match = pattern.search(section.text)
    start = max(0, match.start() - EXCERPT_MARGIN if match else 0)
    end = (match.end() if match else 0) + 2 * EXCERPT_MARGIN
    # The excerpt is cut between words.
    start = section.text.find(" ", start) + 1 if start else 0
    end = max(section.text.rfind(" ", 0, end), start) if end < len(section.text) else len(section.text)
    excerpt = f"{'… ' if start else ''}{section.text[start:end]}{' …' if end < len(section.text) else ''}"
    return Hit(
        guide.title,
        _marked(section.title, pattern),
        _marked(excerpt, pattern),
        guide.address if section.level == 1 else f"{guide.address}#{section.anchor}",
    )


def _marked(text: str, pattern: re.Pattern[str]) -> SafeString:
    """The text with every match in <mark>."""
    parts, end = [], 0
    for match in pattern.finditer(text):
        parts += [escape(text[end : match.start()]), f"<mark>{escape(match[0])}</mark>"]
        end = match.end()
    return mark_safe("".join([*parts, escape(text[end:])]))  # noqa: S308
