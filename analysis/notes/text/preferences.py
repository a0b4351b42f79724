"""Preferences for named things that a paragraph states, and the longest list of them (paper, section 4.3.3 and table
2).

"W1 prefers T10 > T4 > T1" is a list of length 3, "W2 prefers T14 over T9" one of length 2. "W18 has a strong
preference for T1" is a list of length 1. "W3 < W7", "T1, then T2" and "W4's order: T1, T3" are lists, too. An arrow
(->) states an assignment, not a preference.
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
    """Patterns of a name and of the forms of a list. The group `list` has the ranked names only."""
    # "T8/1/6" and "T1, T2" are names with the same rank.
    name = rf"(?<!\w)(?:{names})(?:\s?(?:/|=|≈)\s?\w{{1,6}}){{0,8}}(?!\w)"
    order = (
        rf"(?:{name}'s\s(?:\w+\s)?(?:order|ranking)|\b(?:preference\sorder|ranking|preference\slist)\b)"
        r"[^:.;\n]{0,40}:"
    )
    forms = (
        rf"(?P<list>{name}(?:\s*{COMPARED}\s*{name})+)",
        rf"(?P<list>{name}(?:\s*{REVERSED}\s*{name})+)",
        rf"\b{STATING}\b[^.;:\n]{{0,30}}?(?P<list>{name}(?:{NEXT}\s*{name})+)",
        rf"\bprefer\w*\s+(?P<list>{name}\s+to\s+{name})",
        rf"{order}\s*(?P<list>{name}(?:\s*,\s*(?:then\s+)?{name})+)",
    )
    return re.compile(name), [re.compile(form, re.IGNORECASE) for form in forms]


def longest_list(paragraph: str, names: str) -> int:
    """The length of the longest preference list in a paragraph, 0 if it states no preference.

    names: pattern of the names of the ranked things, as an environment declares it
    """
    name, forms = _patterns(names)
    text = DECORATION.sub("", paragraph)
    if lengths := [len(name.findall(match["list"])) for form in forms for match in form.finditer(text)]:
        return max(lengths)
    sentences = SENTENCE.split(text)
    return int(any(STATES.search(sentence) and name.search(sentence) for sentence in sentences))
