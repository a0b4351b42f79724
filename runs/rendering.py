"""Text that a model wrote, as HTML that can do no harm.

This is the only place where such text becomes markup. Markdown is rendered without raw HTML, links and images, and the
result is cut down to a short list of tags; whatever is too long for that is shown as it is, escaped.
"""

from __future__ import annotations

import re

import nh3
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

LONGEST_MARKDOWN = 40_000
TAGS = {
    "p",
    "br",
    "em",
    "strong",
    "s",
    "code",
    "pre",
    "ul",
    "ol",
    "li",
    "blockquote",
    "hr",
    "table",
    "thead",
    "tbody",
    "tr",
}
TAGS |= {"th", "td", "h4", "h5", "h6"}
SHINGLE = 3
"""Words in a row that must have been there before for a word to count as old."""

OPEN, CLOSE = "\ue000", "\ue001"
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u202a-\u202e\u2066-\u2069\ufeff\ue000\ue001]")
_WORD = re.compile(r"\w+(?:[.,]\d+)*%?")
_GAP = re.compile(f"{CLOSE}([ \t]*[^\\w\\s{OPEN}<>|`*_#~&]{{0,3}}[ \t]*){OPEN}")

_markdown = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 20}).enable(
    ["table", "strikethrough"]
)
_markdown.disable(["link", "image", "autolink", "reference", "html_block", "html_inline", "entity", "lheading"])


def render_note(text: str, before: str | None = None) -> SafeString:
    """A note as HTML. Words that the text `before` does not hold are tinted by <ins>; with None nothing is."""
    text = _INVISIBLE.sub("", text)
    marked = text if before is None else mark_new(text, before)
    if len(text) > LONGEST_MARKDOWN:
        return mark_safe(f'<p class="prewrap">{_inserted(str(escape(marked)))}</p>')  # noqa: S308
    html = re.sub(r"<(/?)h[1-6]>", r"<\1h4>", _markdown.render(marked))
    return mark_safe(_inserted(nh3.clean(html, tags=TAGS, attributes={})))  # noqa: S308


def mark_new(text: str, before: str) -> str:
    """The text with marks round its new words.

    A word is old when some run of three words that holds it was already in `before`. That takes linear time, which
    matters for texts that grow by a page every period, and does not mind that paragraphs moved.
    """
    words = list(_WORD.finditer(text))
    said = [word.group().lower() for word in words]
    size = min(SHINGLE, max(1, len(said)))
    known = _shingles([word.lower() for word in _WORD.findall(before)], size)
    old = [False] * len(said)
    for start in range(len(said) - size + 1):
        if tuple(said[start : start + size]) in known:
            old[start : start + size] = [True] * size
    parts, end = [], 0
    for word, is_old in zip(words, old, strict=True):
        parts += [text[end : word.start()], word.group() if is_old else f"{OPEN}{word.group()}{CLOSE}"]
        end = word.end()
    return _GAP.sub(r"\1", "".join([*parts, text[end:]]))


def _shingles(words: list[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(words[start : start + size]) for start in range(len(words) - size + 1)}


def _inserted(html: str) -> str:
    """Marks to tags; a tag between two marks would nest wrongly, so that such a span is closed and opened round it."""
    pieces = re.split(f"({OPEN}|{CLOSE}|<[^>]*>)", html)
    result, inside = [], False
    for piece in pieces:
        if piece == OPEN:
            inside = True
            result.append("<ins>")
        elif piece == CLOSE:
            inside = False
            result.append("</ins>")
        elif piece.startswith("<") and inside:
            result += ["</ins>", piece, "<ins>"]
        else:
            result.append(piece)
    return "".join(result).replace("<ins></ins>", "")


def highlight(text: str, wanted: str, around: int = 140) -> SafeString:
    """An excerpt of a text round the first place where `wanted` stands, every such place in it marked."""
    text = _INVISIBLE.sub("", text)
    found = text.lower().find(wanted.lower())
    start = max(0, found - around)
    excerpt = ("… " if start else "") + text[start : found + len(wanted) + around]
    excerpt += " …" if found + len(wanted) + around < len(text) else ""
    pieces = re.split(f"({re.escape(wanted)})", excerpt, flags=re.IGNORECASE)
    html = "".join(f"<mark>{escape(piece)}</mark>" if i % 2 else str(escape(piece)) for i, piece in enumerate(pieces))
    return mark_safe(html)  # noqa: S308
