"""The guides in their listed order and the methodology's pages, rendered once per process."""

import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from pages.guides.markup import Document, GuideSection, anchor_of, render

FOLDER = Path(__file__).resolve().parents[2] / "docs"

METHODOLOGY = "methodology"
PARTS = (METHODOLOGY, "statistics", "paper-and-published")
"""The files that make up the methodology. Each heading of their second level is a page."""

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
        "reading-the-numbers": "What scores, ranks, intervals, p and flags say, and what they do not.",
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
    """A guide's page, or a page of the methodology. The first of its `sections` is the title with the text below it."""

    name: str
    about: str
    html: SafeString
    sections: tuple[GuideSection, ...]
    address: str

    @property
    def title(self) -> str:
        return self.sections[0].title

    @property
    def anchor(self) -> str:
        return self.sections[0].anchor

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


@cache
def guides() -> dict[str, list[Guide]]:
    """The guides of each group, in order."""
    return {group: [_guide(name, about) for name, about in entries.items()] for group, entries in GROUPS.items()}


@cache
def guides_by_name() -> dict[str, Guide]:
    return {guide.name: guide for group in guides().values() for guide in group}


@cache
def chapters() -> dict[GuideSection, list[Guide]]:
    """The pages of the methodology, by the heading of their part. A part with an introduction has it as its first page."""
    return {_rendered(name).sections[0]: _chapters_of(name) for name in PARTS}


@cache
def chapters_by_name() -> dict[str, Guide]:
    return {chapter.name: chapter for part in chapters().values() for chapter in part}


@cache
def definitions() -> dict[str, tuple[GuideSection, Guide]]:
    """(section, page that it is on) of the methodology, by anchor."""
    return {
        section.anchor: (section, chapter) for chapter in chapters_by_name().values() for section in chapter.sections
    }


def address_of_definition(anchor: str) -> str:
    section, chapter = definitions()[anchor]
    return chapter.address if section.level == 1 else f"{chapter.address}#{anchor}"


def documents() -> list[Guide]:
    """All pages that the search reads."""
    return [*guides_by_name().values(), *chapters_by_name().values()]


def _guide(name: str, about: str) -> Guide:
    document = _rendered(name)
    address = reverse("guides:methodology") if name == METHODOLOGY else reverse("guides:guide", args=[name])
    if name == METHODOLOGY:
        introduction, *_ = _BEFORE_CHAPTERS.split(document.html)
        document = Document(introduction, document.sections[:1])
    return Guide(name, about, _trusted(document.html), document.sections, address)


_BEFORE_CHAPTERS = re.compile(r"(?=<h2 id=)")
_FIRST_HEADING = re.compile(r"\A<h2 .*?</h2>", re.DOTALL)
_LOWER_HEADING = re.compile(r"(</?h)([3-6])\b")


def _chapters_of(name: str) -> list[Guide]:
    """The pages of a part: its text, divided at the headings of the second level, which become titles."""
    document = _rendered(name)
    introduction, *texts = _BEFORE_CHAPTERS.split(document.html)
    starts = [index for index, section in enumerate(document.sections) if section.level == 2]
    bounds = zip(starts, [*starts[1:], len(document.sections)], strict=True)
    pages = [_chapter(_FIRST_HEADING.sub("", text), document.sections[slice(*bound)])
             for text, bound in zip(texts, bounds, strict=True)]  # fmt: skip
    if name != METHODOLOGY and introduction.strip():
        pages.insert(0, _chapter(introduction, document.sections[:1]))
    return pages


def _chapter(html: str, sections: tuple[GuideSection, ...]) -> Guide:
    """A page whose headings are a level higher than in the text of its part."""
    html = _LOWER_HEADING.sub(lambda match: f"{match[1]}{int(match[2]) - 1}", html)
    raised = tuple(replace(section, level=max(1, section.level - 1)) for section in sections)
    return Guide(raised[0].anchor, "", _trusted(html), raised, _chapter_address(raised[0].anchor))


def _chapter_address(name: str) -> str:
    return reverse("guides:methodology-section", args=[name])


def _trusted(html: str) -> SafeString:
    # The guides are files of the project, reduced to an allow-list of tags.
    return mark_safe(html)  # noqa: S308


@cache
def _rendered(name: str) -> Document:
    return render((FOLDER / f"{name}.md").read_text(encoding="utf-8"), lambda link: _link_target(link, name))


def _link_target(link: str, name: str) -> str | None:
    """The address on the site that a link of the guide `name` leads to; None for files that are no page."""
    if link.startswith(("https://", "http://")):
        return link
    path, _, anchor = link.partition("#")
    target = path.removesuffix(".md") or name
    if target in PARTS:
        return _part_address(target, anchor)
    if not path:
        return link
    if not any(target in group for group in GROUPS.values()):
        return None
    address = reverse("guides:guide", args=[target])
    return f"{address}#{anchor}" if anchor else address


_HEADING_LINE = re.compile(r"^(#+) (.*)$", re.MULTILINE)


@cache
def _chapter_names() -> dict[str, str]:
    """The name of the page that has each heading of the methodology, read from the texts, so that links need no rendering."""
    names, chapter = {}, ""
    for part in PARTS:
        for marks, title in _HEADING_LINE.findall((FOLDER / f"{part}.md").read_text(encoding="utf-8")):
            anchor = anchor_of(title.replace("`", ""))
            chapter = anchor if len(marks) <= 2 else chapter
            names[anchor] = chapter
    return names


def _part_address(part: str, anchor: str) -> str:
    """The address of a heading of the methodology; of the whole part, if there is no anchor."""
    if not anchor:
        title = (FOLDER / f"{part}.md").read_text(encoding="utf-8").partition("\n")[0].removeprefix("# ")
        return reverse("guides:methodology") + ("" if part == METHODOLOGY else f"#{anchor_of(title)}")
    chapter = _chapter_names()[anchor]
    return _chapter_address(chapter) if chapter == anchor else f"{_chapter_address(chapter)}#{anchor}"


_BLOCK = re.compile(r"<(p|pre|ul|ol|blockquote|div)\b.*?</\1>", re.DOTALL)


@cache
def definition_html(anchor: str) -> SafeString:
    """The first paragraph below a heading of the methodology, and the formula after it, if there is one."""
    section, chapter = definitions()[anchor]
    text = chapter.html if section.level == 1 else chapter.html.partition(f' id="{anchor}">')[2]
    text = text.partition("</h")[2].partition(">")[2] if section.level > 1 else text
    blocks = list(_BLOCK.finditer(re.split(r"<h[2-6]", text, maxsplit=1)[0]))[:2]
    return _trusted("".join(block[0] for block in blocks if block is blocks[0] or block[1] == "pre"))
