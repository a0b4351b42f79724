"""Changes in the wording of notes. Numbers are ignored, so that a new counter, date or price alone is not a change."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations, product
from statistics import fmean

MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
FIGURE = r"\d[\d.,:/-]*(?:st|nd|rd|th|x|k|m)?"
NUMBER = re.compile(rf"(?<!\w)(?:{MONTH}\s+{FIGURE}|{FIGURE}\s+{MONTH}|[-+−]?[$€£]?{FIGURE})(?!\w)\s*%?")
"""Pattern for numbers, prices, shares and dates. Names with a number, such as W7 or Product_1, are words."""

WORD = re.compile(r"\w+")
SHORTEST_WORD = 3
"""Minimum number of letters. Shorter words are articles and prepositions, which occur in every text."""

MOST_READ = 20_000
"""Maximum number of characters of a note that are compared."""

WINDOW = 10
"""Maximum number of notes to compare on each side of a change."""

FEWEST = 3
"""Minimum number of notes on each side. With fewer their usual variation is unknown."""

REWORDED = 0.2
"""Minimum size of a change, as in `rewordings`. Notes that keep their template but change their plan reach it."""


def without_numbers(text: str) -> str:
    """Return the text in lower case, with '#' for each number and single spaces between words."""
    return " ".join(NUMBER.sub("#", text.lower()).split())


def distinct_words(text: str) -> frozenset[str]:
    """The set of words of a text, without numbers and without names that contain a digit."""
    return frozenset(
        word for word in WORD.findall(without_numbers(text)) if len(word) >= SHORTEST_WORD and word.isalpha()
    )


def likeness(first: frozenset[str], second: frozenset[str]) -> float:
    """The Jaccard index: shared words divided by all words of both sets; 1 for two texts without words."""
    either = first | second
    return len(first & second) / len(either) if either else 1.0


@dataclass(frozen=True)
class Rewording:
    """A possible change of the wording of notes.

    period: the first period with the new wording
    size: at most 1, see `rewordings`
    before, after: the words of each note on each side
    """

    period: int
    size: float
    before: Sequence[frozenset[str]]
    after: Sequence[frozenset[str]]

    @property
    def new(self) -> list[str]:
        """Words that most notes after the change contain, and no note before it."""
        return _only(self.after, self.before)

    @property
    def gone(self) -> list[str]:
        return _only(self.before, self.after)


def rewordings(texts: Mapping[int, str]) -> list[Rewording]:
    """Measure how far the wording changed in each period with at least FEWEST notes on both sides.

    The size is a novelty score as in Foote (2000), over WINDOW notes on each side: min(before, after) - across. There
    `before` and `after` are the mean likeness of two notes on that side, and `across` that of two notes on different
    sides. So the size stays small if every note is worded anew, or if an agent begins to copy its notes.

    texts: note by period
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
    """Words in more than half of `notes` and in none of `others`, the most frequent first, then the longest."""
    strange = frozenset().union(*notes) - frozenset().union(*others)
    counts = {word: sum(word in note for note in notes) for word in strange}
    return sorted((word for word in strange if 2 * counts[word] > len(notes)), key=lambda w: (-counts[w], -len(w), w))
