"""Marks the new words of a text, in linear time."""

import re
from collections.abc import Iterator

SHINGLE = 3
"""Length of the runs of words that are compared."""

OPEN, CLOSE = "\ue000", "\ue001"
"""Marks around a new word while the text is still Markdown."""

_WORD = re.compile(r"[^\W_](?:\w*[^\W_])?(?:[.,]\d+)*%?")
_ITEM_NUMBER = re.compile(r"^[ \t>*+-]*+\d{1,9}(?=[.)](?:\s|$))", re.MULTILINE)
_GAP = re.compile(f"{CLOSE}([ \t]*+(?:[^\\w\\s{OPEN}<>|`*_#~&]{{1,3}}+[ \t]*+)?+){OPEN}")
_MARK_OR_TAG = re.compile(f"({OPEN}|{CLOSE}|<[^>]*>)")


def mark_new(text: str, before: str) -> str:
    """The text with OPEN and CLOSE around its new words.

    A word is old if `before` has a run of three words around it, so moved paragraphs are old. Numbers of list items are
    not marked, because Markdown would not recognize the item then.
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


def _shingles(words: list[str], size: int) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(size)), strict=False)


def tinted(html: str) -> str:
    """Replace marks by <ins>. To nest correctly, an <ins> is closed before each tag and opened again after it."""
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
