"""The wording of notes: their words without numbers, so that a counter, a date or a price alone is no change."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from statistics import fmean

MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
FIGURE = r"\d[\d.,:/-]*(?:st|nd|rd|th|x|k|m)?"
NUMBER = re.compile(rf"(?<!\w)(?:{MONTH}\s+{FIGURE}|{FIGURE}\s+{MONTH}|[-+−]?[$€£]?{FIGURE})(?!\w)\s*%?")
"""Numbers, prices, shares and dates. Names with a number, such as W7 or Product_1, are words."""

WORD = re.compile(r"\w+")
SHORTEST_WORD = 3
"""Letters. Shorter words are articles and prepositions, which every text has."""

MOST_READ = 20_000
"""Characters of a note whose words are compared."""

WINDOW = 10
"""Notes on each side of a change that are compared."""

FEWEST = 3
"""Notes on each side below which their own variety is unknown."""

REWORDED = 0.2
"""Least difference of the two likenesses, see `rewordings`. Notes that keep their template and change their plan reach it."""


def without_numbers(text: str) -> str:
    """The text in lower case with '#' for each number, spaces reduced to one. Equal results differ in numbers only."""
    return " ".join(NUMBER.sub("#", text.lower()).split())


def distinct_words(text: str) -> frozenset[str]:
    """The different words of a text, without numbers and without names that hold a digit."""
    tokens = WORD.findall(without_numbers(text))
    return frozenset(word for word in tokens if len(word) >= SHORTEST_WORD and word.isalpha())


def likeness(first: frozenset[str], second: frozenset[str]) -> float:
    """Words that both have as a share of those that either has (Jaccard index); 1 for two texts without words."""
    either = first | second
    return len(first & second) / len(either) if either else 1.0


@dataclass(frozen=True)
class Rewording:
    """period: the first with the new wording; size: 0 to 1; before, after: the words of each note on both sides"""

    period: int
    size: float
    before: Sequence[frozenset[str]]
    after: Sequence[frozenset[str]]

    @property
    def new(self) -> list[str]:
        """Words that most notes after the change have, and none before."""
        return _only(self.after, self.before)

    @property
    def gone(self) -> list[str]:
        return _only(self.before, self.after)


def rewordings(texts: Mapping[int, str]) -> list[Rewording]:
    """For each period with at least FEWEST notes on both sides, how far the wording changed there.

    The size is the mean likeness of notes on the same side, on the side where they are less alike, minus that of notes on
    different sides, over WINDOW notes on each side: a novelty score as in Foote (2000). Notes that are worded anew each
    time are as unlike within a side, and notes that begin to be copied are no new words.

    texts: by period
    """
    periods = sorted(period for period, text in texts.items() if text.strip())
    word_sets = [distinct_words(texts[period][:MOST_READ]) for period in periods]

    @cache
    def alike(i: int, j: int) -> float:
        return likeness(word_sets[i], word_sets[j])

    changes = []
    for position in range(FEWEST, len(periods) - FEWEST + 1):
        before, after = (
            range(max(0, position - WINDOW), position),
            range(position, min(len(periods), position + WINDOW)),
        )
        within = min(fmean(alike(i, j) for i, j in combinations(side, 2)) for side in (before, after))
        across = fmean(alike(i, j) for i, j in product(before, after))
        sides = [[word_sets[i] for i in side] for side in (before, after)]
        changes.append(Rewording(periods[position], within - across, *sides))
    return changes


def _only(notes: Sequence[frozenset[str]], others: Sequence[frozenset[str]]) -> list[str]:
    """Words that more than half of the notes have and none of the others, the most frequent and longest first."""
    strange = frozenset().union(*notes) - frozenset().union(*others)
    counts = {word: sum(word in note for note in notes) for word in strange}
    return sorted((word for word in strange if 2 * counts[word] > len(notes)), key=lambda w: (-counts[w], -len(w), w))
