"""Paragraphs of notes, and how many of them are read."""

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
MEANING = re.compile(r"[^\W_]")
LONGEST = 20_000
"""Characters of a paragraph that are read."""

Row = TypeVar("Row")


@dataclass(frozen=True)
class Paragraph:
    """One paragraph of a note. agent: id of who wrote it"""

    agent: int
    run: int
    period: int
    text: str


def paragraphs_of(note: str) -> list[str]:
    """The note split at blank lines (paper, section 4.3.1). Parts without a letter or digit are left out."""
    parts = BLANK_LINES.split(note.replace("\r\n", "\n").replace("\r", "\n"))
    return [part.strip()[:LONGEST] for part in parts if MEANING.search(part)]


def sampled(rows: Sequence[Row], most: int, seed: int) -> list[Row]:
    """At most so many rows, drawn uniformly without replacement, in their order."""
    if len(rows) <= most:
        return list(rows)
    return [rows[i] for i in sorted(random.Random(seed).sample(range(len(rows)), most))]


def balanced(paragraphs: Iterable[Paragraph], seed: int) -> list[Paragraph]:
    """As many paragraphs of each agent as the least verbose one wrote, drawn uniformly without replacement."""
    by_agent: dict[int, list[Paragraph]] = defaultdict(list)
    for paragraph in paragraphs:
        by_agent[paragraph.agent].append(paragraph)
    least = min(map(len, by_agent.values()), default=0)
    return [paragraph for agent in sorted(by_agent) for paragraph in sampled(by_agent[agent], least, seed)]


class Reservoir:
    """A uniform sample without replacement of a stream, by Vitter's algorithm R with a fixed seed."""

    def __init__(self, most: int, seed: int):
        self.most, self.seen, self.kept = most, 0, list[Paragraph]()
        self._random = random.Random(seed)

    def add(self, paragraph: Paragraph) -> None:
        self.seen += 1
        if len(self.kept) < self.most:
            self.kept.append(paragraph)
        elif (index := self._random.randrange(self.seen)) < self.most:
            self.kept[index] = paragraph
