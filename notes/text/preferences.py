"""Preferences that a paragraph states about named things, and the longest list of them (paper, section 4.3.3 and table 2).

"W1 prefers T10 > T4 > T1" is a list of length 3, "W2 prefers T14 over T9" one of length 2, and "W18 has a strong preference
for T1" one of length 1. "W3 < W7", "T1, then T2" and "W4's order: T1, T3" are lists, too. An arrow (->) assigns and is no
comparison.
"""

import re
from functools import lru_cache

COMPARED = (
    r"(?:(?<![-=<])>{1,2}=?|[≥≻⪰›]|\\(?:succ(?:eq)?|gt|geq?)\b|\b(?:over|outranks?|beats?|rather than|instead of)\b)"
)
REVERSED = r"(?:<{1,2}=?(?![-=>])|[≤≺⪯‹]|\\(?:prec(?:eq)?|lt|leq?)\b)"
NEXT = r"(?:[,;]?\s*(?:and\s+)?then\b|[,;]?\s*followed\s+by\b)"
STATING = r"(?:prefer\w*|favou?r\w*|likes?|wants?|wanted|ranks?|ranked|top choice|better (?:than|for|suited))"
STATES = re.compile(rf"\b{STATING}\b", re.IGNORECASE)
SENTENCE = re.compile(r"(?<=[.;!?])\s+|\n")
DECORATION = re.compile(r"[*`$()?~]|\\(?:text|mathrm)\b|[{}]|(?<=[A-Za-z])_(?=\{?\d)")


@lru_cache(maxsize=16)
def _patterns(names: str) -> tuple[re.Pattern[str], list[re.Pattern[str]]]:
    """A name, and the forms of a list. Whoever has the preference is no part of the match."""
    # "T8/1/6" and "T1, T2" are names of one rank.
    one = rf"(?<!\w)(?:{names})(?:\s?(?:/|=|≈)\s?\w{{1,6}}){{0,8}}(?!\w)"
    order = (
        rf"(?:{one}'s\s(?:\w+\s)?(?:order|ranking)|\b(?:preference\sorder|ranking|preference\slist)\b)[^:.;\n]{{0,40}}:"
    )
    forms = (
        rf"(?P<list>{one}(?:\s*{COMPARED}\s*{one})+)",
        rf"(?P<list>{one}(?:\s*{REVERSED}\s*{one})+)",
        rf"\b{STATING}\b[^.;:\n]{{0,30}}?(?P<list>{one}(?:{NEXT}\s*{one})+)",
        rf"\bprefer\w*\s+(?P<list>{one}\s+to\s+{one})",
        rf"{order}\s*(?P<list>{one}(?:\s*,\s*(?:then\s+)?{one})+)",
    )
    return re.compile(one), [re.compile(form, re.IGNORECASE) for form in forms]


def longest_list(paragraph: str, names: str) -> int:
    """The length of the longest preference list in a paragraph, 0 if it states no preference.

    names: pattern of the things that are ranked, as an environment declares them
    """
    one, forms = _patterns(names)
    text = DECORATION.sub("", paragraph)
    if lengths := [len(one.findall(found["list"])) for form in forms for found in form.finditer(text)]:
        return max(lengths)
    sentences = SENTENCE.split(text)
    return int(any(STATES.search(sentence) and one.search(sentence) for sentence in sentences))
