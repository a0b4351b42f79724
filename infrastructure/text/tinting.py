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
    matches = list(_WORD.finditer(text))
    tokens = [match.group().lower() for match in matches]
    size = min(SHINGLE, max(1, len(tokens)))
    old_shingles = set(_shingles(_WORD.findall(before.lower()), size))
    old = [False] * len(tokens)
    for start, shingle in enumerate(_shingles(tokens, size)):
        if shingle in old_shingles:
            old[start : start + size] = [True] * size
    numbers = {number.end() for number in _ITEM_NUMBER.finditer(text)}
    parts, end = [], 0
    for match, is_old in zip(matches, old, strict=True):
        as_it_is = is_old or match.end() in numbers
        parts += [text[end : match.start()], match.group() if as_it_is else f"{OPEN}{match.group()}{CLOSE}"]
        end = match.end()
    return _GAP.sub(r"\1", "".join([*parts, text[end:]]))


def _shingles(tokens: list[str], size: int) -> Iterator[tuple[str, ...]]:
    return zip(*(tokens[start:] for start in range(size)), strict=False)


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
