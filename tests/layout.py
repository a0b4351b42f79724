"""HTML without the line breaks of its template, so that tests compare content and not layout; checks of all pages."""

import re
from html import unescape

VERBATIM = re.compile(r"(<(pre|textarea|script)\b.*?</\2>)", re.S)
INLINE = "(?:a|b|code|em|small|span|strong)"
RULES = (
    (rf"(</{INLINE}>)\s*\n\s*(?=[^<\s])", r"\1 "),
    (rf"([^>\s])\s*\n\s*(?=<{INLINE}\b)", r"\1 "),
    (r">\s*\n\s*", ">"),
    (r"\s*\n\s*(?=[<>])", ""),
    (r"\s*\n\s*", " "),
)


def without_line_breaks(html):
    """Drop line breaks that browsers ignore and turn others into spaces. <pre>, <textarea> and <script> stay as they are."""
    parts = VERBATIM.split(html)
    del parts[2::3]
    for place in range(0, len(parts), 2):
        for pattern, replacement in RULES:
            parts[place] = re.sub(pattern, replacement, parts[place])
    return "".join(parts)


def plain(html):
    """The text of a page or a part of it, in one line."""
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", html)).split())


def check_markup(html):
    """A page has one main heading, each id once, and no inline script, style or handler."""
    found = re.search(r"<script(?![^>]*\bsrc=)|<style|<[^>]+\s(style|on[a-z]+|hx-on[^=]*)=", html)
    assert not found, found
    assert len(re.findall(r"<h1[ >]", html)) == 1
    ids = re.findall(r'\sid="([^"]+)"', html)
    assert len(ids) == len(set(ids)), [name for name in ids if ids.count(name) > 1]
