"""Preferences that a paragraph states about named things, and the longest list of them (paper, section 4.3.3 and table 2).

"W1 prefers T10 > T4 > T1" is a list of length 3, "W2 prefers T14 over T9" one of length 2, and "W18 has a strong preference
for T1" one of length 1. An arrow (->) assigns and is no comparison.
"""

import re
from functools import lru_cache

COMPARED = r"(?:(?<![-=<])>{1,2}=?|[≥≻⪰›]|\\(?:succ(?:eq)?|gt|geq?)\b|\b(?:over|outranks?|beats?)\b)"
STATES = re.compile(r"\b(?:prefer\w*|favou?r\w*|likes?|wants?|wanted|ranks?|ranked|top choice)\b", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n")
DECORATION = re.compile(r"[*`$()?~]|\\(?:text|mathrm)\b|[{}]")


@lru_cache(maxsize=16)
def _patterns(names: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    # "T8/1/6" and "T1, T2" are names of one rank.
    one = rf"(?<!\w)(?:{names})(?:\s?(?:/|=|≈)\s?\w{{1,6}}){{0,8}}(?!\w)"
    return re.compile(one), re.compile(rf"{one}(?:\s*{COMPARED}\s*{one})+", re.IGNORECASE)


COMPARISON = re.compile(COMPARED, re.IGNORECASE)


def longest_list(paragraph: str, names: str) -> int:
    """The length of the longest preference list in a paragraph, 0 if it states no preference.

    names: pattern of the things that are ranked, as an environment declares them
    """
    one, chain = _patterns(names)
    text = DECORATION.sub("", paragraph)
    lengths = [len(COMPARISON.findall(found.group())) + 1 for found in chain.finditer(text)]
    if lengths:
        return max(lengths)
    sentences = SENTENCE.split(text)
    return int(any(STATES.search(sentence) and one.search(sentence) for sentence in sentences))
