"""Differences of two texts, word by word."""

import os
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

MOST_WORDS = 2_000
"""The most words that are aligned, of either text. Aligning takes quadratic time; a longer change is one replacement."""

_WORD = re.compile(r"\w+\s*|[^\w\s]\s*|\s+")


class Piece(NamedTuple):
    """A part of a comparison. `kind` is 'same', 'removed' or 'added'."""

    kind: str
    text: str


def differences(before: str, after: str) -> list[Piece]:
    """Return the pieces of both texts in order. Without added pieces they are `before`, without removed ones `after`."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    start = len(os.path.commonprefix([old, new]))
    end = len(os.path.commonprefix([old[start:][::-1], new[start:][::-1]]))
    pieces = [
        ("same", old[:start]),
        *_aligned(old[start : len(old) - end], new[start : len(new) - end]),
        ("same", old[len(old) - end :]),
    ]
    return [Piece(kind, "".join(tokens)) for kind, tokens in pieces if tokens]


def _aligned(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[str, Sequence[str]]]:
    if max(len(old), len(new)) > MOST_WORDS:
        yield from (("removed", old), ("added", new))
        return
    for kind, i, j, k, l in SequenceMatcher(None, old, new).get_opcodes():  # noqa: E741
        yield from [("same", old[i:j])] if kind == "equal" else [("removed", old[i:j]), ("added", new[k:l])]
