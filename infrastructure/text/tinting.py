"""Which words of a text are new. Time is linear in the two texts, whatever they hold."""

from __future__ import annotations

import re

SHINGLE = 3
"""Words in a row that must have been there before for a word to count as old."""

OPEN, CLOSE = "\ue000", "\ue001"
"""Round a new word while the text is still Markdown."""

_WORD = re.compile(r"[^\W_](?:\w*[^\W_])?(?:[.,]\d+)*%?")
_ITEM_NUMBER = re.compile(r"^[ \t>*+-]*+\d{1,9}(?=[.)](?:\s|$))", re.MULTILINE)
_GAP = re.compile(f"{CLOSE}([ \t]*+(?:[^\\w\\s{OPEN}<>|`*_#~&]{{1,3}}+[ \t]*+)?+){OPEN}")
_MARK_OR_TAG = re.compile(f"({OPEN}|{CLOSE}|<[^>]*>)")


def mark_new(text: str, before: str) -> str:
    """The text with OPEN and CLOSE round its new words.

    A word is old when some run of three words that holds it was already in `before`, so that it does not matter whether
    paragraphs moved. The number of a list's item is not marked: it would be no item then.
    """
    words = list(_WORD.finditer(text))
    said = [word.group().lower() for word in words]
    size = min(SHINGLE, max(1, len(said)))
    known = set(_shingles(_WORD.findall(before.lower()), size))
    old = [False] * len(said)
    for start, shingle in enumerate(_shingles(said, size)):
        if shingle in known:
            old[start : start + size] = [True] * size
    numbers = {match.end() for match in _ITEM_NUMBER.finditer(text)}
    parts, end = [], 0
    for word, is_old in zip(words, old, strict=True):
        as_it_is = is_old or word.end() in numbers
        parts += [text[end : word.start()], word.group() if as_it_is else f"{OPEN}{word.group()}{CLOSE}"]
        end = word.end()
    return _GAP.sub(r"\1", "".join([*parts, text[end:]]))


def _shingles(words: list[str], size: int) -> zip[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(size)), strict=False)


def tinted(html: str) -> str:
    """Marks to <ins>. A tag between two marks would nest wrongly, so that such a span is closed and opened round it."""
    result, inside = [], False
    for piece in _MARK_OR_TAG.split(html):
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
