"""Render a guide's Markdown as HTML with anchors, and as the sections that the search reads.

Links and headings are kept, since guides are files of the project. `infrastructure.text.rendering`, which renders
texts of models and users, removes them.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from html import escape, unescape
from posixpath import normpath

import nh3
from pyromark import Markdown, Options

TAGS = {"p", "br", "em", "strong", "code", "pre", "ul", "ol", "li", "blockquote", "hr", "a"}
TAGS |= {"table", "thead", "tbody", "tr", "th", "td", "h1", "h2", "h3", "h4", "h5", "h6"}
LOWEST_LEVEL = 6

_markdown = Markdown(options=Options.ENABLE_TABLES | Options.ENABLE_SMART_PUNCTUATION)
_HEADING = re.compile(r"<h([1-6])>(.*?)</h\1>", re.DOTALL)
_LINK = re.compile(r'<a href="([^"]*)">(.*?)</a>', re.DOTALL)
_INLINE = re.compile(r"</?(?:a|code|em|strong)\b[^>]*>")
_BLOCK = re.compile(r"<[^>]*>")
_DOTTED = re.compile(r"<code>[\w.]+</code>")
_TABLE = re.compile(r"<table>.*?</table>", re.DOTALL)


@dataclass(frozen=True)
class GuideSection:
    """A heading and the text below it, up to the next heading of any level.

    level: 1 to 6 as in HTML; text: without markup
    """

    level: int
    anchor: str
    title: str
    text: str


@dataclass(frozen=True)
class Document:
    """A rendered guide. Its first section has the title as heading, even if `html` has no title."""

    html: str
    sections: tuple[GuideSection, ...]


def anchor_of(title: str) -> str:
    """The anchor of a heading, formed as on GitHub."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


def render(text: str, address: Callable[[str], str | None], *, lower: int = 0) -> Document:
    """Render a guide, whose text begins with its title.

    address: returns the target of a link on the site, or None for a file that is no page; its path in the project is
        shown instead
    lower: number of levels by which headings are moved down; if it is not 0, the title stays in `html`
    """
    html = _LINK.sub(lambda match: _link(unescape(match[1]), match[2], address), _markdown.html(text))
    html = _HEADING.sub(lambda match: _lowered_heading(int(match[1]), match[2], lower), html)
    html = nh3.clean(html, tags=TAGS, attributes={"a": {"href"}}, link_rel=None)
    parts = _HEADING.split(html)[1:]
    sections = tuple(
        GuideSection(int(level), anchor_of(_plain_text(title)), _plain_text(title), _plain_text(body))
        for level, title, body in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    )
    if not lower:
        html = _HEADING.sub("", html, count=1)
    html = _HEADING.sub(lambda match: _heading(match[1], match[2]), html)
    html = _TABLE.sub(lambda match: _table(match[0]), html)
    # Long names may be broken after their dots.
    html = _DOTTED.sub(lambda match: match[0].replace(".", ".<wbr>"), html)
    return Document(html.replace("<pre>", '<pre tabindex="0">'), sections)


def _lowered_heading(level: int, title: str, lower: int) -> str:
    level = min(level + lower, LOWEST_LEVEL)
    return f"<h{level}>{title}</h{level}>"


def _link(target: str, text: str, address: Callable[[str], str | None]) -> str:
    url = address(target)
    if url is not None:
        return f'<a href="{escape(url)}">{text}</a>'
    return f"{text} (<code>{escape(normpath(f'docs/{target}'))}</code>)"


def _heading(level: str, title: str) -> str:
    anchor = anchor_of(_plain_text(title))
    return f'<h{level} id="{anchor}"><a href="#{anchor}">{title}</a></h{level}>'


def _table(table: str) -> str:
    """A table in a box that scrolls by itself, also by keyboard. Headings without a word become plain cells."""
    table = table.replace("<th></th>", "<td></td>").replace("<table>", '<table class="table">')
    return f'<div class="scroll" tabindex="0" role="region" aria-label="Table">{table}</div>'


def _plain_text(html: str) -> str:
    return " ".join(unescape(_BLOCK.sub(" ", _INLINE.sub("", html))).split())
