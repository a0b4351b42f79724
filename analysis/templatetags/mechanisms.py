"""Filters of the page of mechanisms."""

from django import template

from analysis.mechanisms.pairs import POOLED, Pair, agreement, answer
from stats.pairwise import SignedRank

register = template.Library()
register.filter("answer", answer)
register.filter("agreement", agreement)


@register.filter
def pooled(pair: Pair) -> SignedRank:
    return pair.tests[POOLED]


@register.filter
def by_difficulty(pair: Pair) -> list[SignedRank]:
    return [test for key, test in pair.tests.items() if key != POOLED]


@register.filter
def agreeing(pair: Pair) -> str:
    """X/Y, as in the heatmap of consistency."""
    agree, significant = pair.consistency()
    return f"{agree}/{significant}"
