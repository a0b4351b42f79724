"""Rendering of text from models and users as safe HTML. This is the only place where such text becomes markup.

Markdown is rendered without raw HTML, links and images, and the result is reduced to an allow-list of tags. Time and
output are linear in the text. Text that is long, deeply nested or has large tables is shown as plain text with a note.
"""

import re
from collections.abc import Iterator
from hashlib import blake2b
from html import escape
from itertools import accumulate, groupby
from threading import Lock

import nh3
from cachetools import LRUCache, cached
from django.utils.safestring import SafeString, mark_safe
from pyromark import Markdown, Options

SHINGLE = 3
"""Number of consecutive words that are compared at a time."""

OPEN, CLOSE = "\ue000", "\ue001"
"""Characters that mark the start and end of a new word while the text is still Markdown."""

_WORD = re.compile(r"[^\W_](?:\w*[^\W_])?(?:[.,]\d+)*%?")
_ITEM_NUMBER = re.compile(r"^[ \t>*+-]*+\d{1,9}(?=[.)](?:\s|$))", re.MULTILINE)
_GAP = re.compile(f"{CLOSE}([ \t]*+(?:[^\\w\\s{OPEN}<>|`*_#~&]{{1,3}}+[ \t]*+)?+){OPEN}")
_MARK_OR_TAG = re.compile(f"({OPEN}|{CLOSE}|<[^>]*>)")


def mark_new(text: str, before: str) -> str:
    """Return the text with OPEN and CLOSE around words that are new since `before`.

    A word is old if `before` also has three consecutive words of the text that include it. So moved paragraphs are old.
    Numbers of list items are not marked, because Markdown would then not recognize the item.
    """
    matches = list(_WORD.finditer(text))
    tokens = [match.group().lower() for match in matches]
    size = min(SHINGLE, max(1, len(tokens)))
    old_shingles = set(_shingles(_WORD.findall(before.lower()), size))
    old = {
        start + offset
        for start, shingle in enumerate(_shingles(tokens, size))
        if shingle in old_shingles
        for offset in range(size)
    }
    numbers = {number.end() for number in _ITEM_NUMBER.finditer(text)}
    parts, end = [], 0
    for index, match in enumerate(matches):
        as_it_is = index in old or match.end() in numbers
        parts += [text[end : match.start()], match.group() if as_it_is else f"{OPEN}{match.group()}{CLOSE}"]
        end = match.end()
    return _GAP.sub(r"\1", "".join([*parts, text[end:]]))


def _shingles(tokens: list[str], size: int) -> Iterator[tuple[str, ...]]:
    return zip(*(tokens[start:] for start in range(size)), strict=False)


def tinted(html: str) -> str:
    """Replace OPEN and CLOSE by <ins>. An <ins> is closed before each tag and reopened after it, to nest correctly."""
    result, inside = [], False
    for piece in _MARK_OR_TAG.split(html):
        if piece in (OPEN, CLOSE):
            inside = piece == OPEN
            result.append("<ins>" if inside else "</ins>")
        elif piece.startswith("<") and inside:
            result += ["</ins>", piece, "<ins>"]
        else:
            result.append(piece)
    return "".join(result).replace("<ins></ins>", "")


LONGEST_MARKDOWN = 32_000
LONGEST_SHOWN = 256 * 1024
"""Maximum number of characters of a text on a page. Notes of agents are never longer."""

MOST_CELLS = 4_000
MOST_NESTING = 20
KEPT_CHARACTERS = 4 * 1024 * 1024
"""Size of the cache of rendered texts in each process, in characters. ENTRY more are counted for each cached text."""
ENTRY = 500

TAGS = {
    *("p", "br", "em", "strong", "del", "code", "pre", "ul", "ol", "li", "blockquote", "hr"),
    *("table", "thead", "tbody", "tr", "th", "td", "h4", "h5", "h6"),
}

# While Markdown is parsed, private-use characters hide what it must not interpret: the starts of HTML, entities and
# links, and single tildes, which mean "about". JOINER stands before lines that would make a heading of the line above.
LESS, AMPERSAND, BRACKET, TILDE, JOINER = "\ue002", "\ue003", "\ue004", "\ue005", "\ue006"
_HIDDEN = str.maketrans({"<": LESS, "&": AMPERSAND, "[": BRACKET})
_SHOWN = str.maketrans({LESS: "&lt;", AMPERSAND: "&amp;", BRACKET: "[", TILDE: "~", JOINER: ""})
_INVISIBLE = re.compile("[\x00-\x08\x0b-\x1f\x7f\u200b\u202a-\u202e\u2066-\u2069\ufeff\ue000-\ue006]")
_SINGLE_TILDE = re.compile("(?<!~)~(?!~)")
_UNDERLINE = re.compile(r"(?<=[^\s>])([ \t]*\n[ \t>]*)(?=(?:--++|=++)[ \t]*+$)", re.MULTILINE)
_HEADING = re.compile(r"<(/?)h[1-6]>")
_NESTS = re.compile(r"<(/?)(?:blockquote|ul|ol|em|strong|del)[ >]")

_markdown = Markdown(options=Options.ENABLE_TABLES | Options.ENABLE_STRIKETHROUGH)


def can_tint(text: str) -> bool:
    """Whether a text is short enough to be compared with an earlier one."""
    return len(text) <= LONGEST_MARKDOWN


def _digest(text: str | None) -> bytes | None:
    return None if text is None else blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


@cached(
    LRUCache(KEPT_CHARACTERS, getsizeof=lambda html: len(html) + ENTRY),
    key=lambda text, before=None, most=LONGEST_SHOWN: (_digest(text), _digest(before), most),
    lock=Lock(),
)
def render_note(text: str, before: str | None = None, most: int = LONGEST_SHOWN) -> SafeString:
    """Render a text as HTML, up to `most` characters.

    Words that are new since `before` are marked with <ins>, unless `before` is None or one of the texts is too long.
    """
    text = _INVISIBLE.sub("", text)
    if len(text) > most:
        return _plain(text[:most], f"it is long. These are the first {most:,} of its {len(text):,} characters.")
    if len(text) > LONGEST_MARKDOWN:
        return _plain(text, f"it is longer than {LONGEST_MARKDOWN:,} characters.")
    marked = mark_new(text, before) if before is not None and can_tint(before) else text
    if _most_cells(text) > MOST_CELLS:
        return _plain(marked, "its tables have too many cells.")
    prepared = _UNDERLINE.sub(rf"\1{JOINER}", _SINGLE_TILDE.sub(TILDE, marked.translate(_HIDDEN)))
    # Two spaces at the end of a line make a line break.
    html = _markdown.html(prepared.replace("\n", "  \n"))
    if max(accumulate(-1 if closing else 1 for closing in _NESTS.findall(html)), default=0) > MOST_NESTING:
        return _plain(marked, "its lists, quotes or emphasis are nested too deeply.")
    html = nh3.clean(_HEADING.sub(r"<\1h4>", html), tags=TAGS, attributes={})
    return mark_safe(tinted(html.translate(_SHOWN)))  # noqa: S308


def _plain(text: str, reason: str) -> SafeString:
    html = tinted(escape(text, quote=False))
    return mark_safe(f'<p class="soft small">Shown as plain text: {reason}</p>\n<p class="prewrap">{html}</p>')  # noqa: S308


def _most_cells(text: str) -> int:
    """Return an upper bound of the cells in all tables.

    Each block of lines up to an empty line counts as a table in which every row is as wide as the widest.
    """
    blocks = groupby(text.split("\n"), lambda line: bool(line.strip()))
    widths = ([line.count("|") for line in lines] for has_text, lines in blocks if has_text)
    return sum(len(block) * (max(block) + 1) for block in widths if any(block))


def highlight(text: str, query: str, around: int = 140) -> SafeString:
    """Return an excerpt as HTML, `around` characters on each side of the first match of `query`. It marks every match."""
    match_start = text.lower().find(query.lower())
    start = max(0, match_start - around)
    end = match_start + len(query) + around
    excerpt = ("… " if start else "") + text[start:end] + (" …" if end < len(text) else "")
    pieces = re.split(f"({re.escape(query)})", _INVISIBLE.sub("", excerpt), flags=re.IGNORECASE)
    html = "".join(f"<mark>{escape(piece)}</mark>" if i % 2 else escape(piece) for i, piece in enumerate(pieces))
    return mark_safe(html)  # noqa: S308


def render_own(text: str) -> SafeString:
    """Render a document of the site's own as HTML. Links become plain text, because it may be read without the site."""
    return mark_safe(nh3.clean(_markdown.html(text), tags=TAGS | {"h2", "h3"}, attributes={}))  # noqa: S308
