"""Template filters that format numbers, money and times in the same way on every page."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from infrastructure.money import usd
from infrastructure.text.missing import DASH as DASH
from infrastructure.text.missing import or_dash

register = template.Library()

UNITS = ((86_400, "d"), (3600, "h"), (60, "min"), (1, "s"))
LONGEST_INDENTED = 50_000
"""JSON with more characters is not indented."""


@register.filter
@or_dash
def score(value: float) -> str:
    """Format a share as points of 100 with one decimal, as the papers print scores."""
    return f"{value * 100:.1f}".replace("-", "−")


def precision(summary: Any) -> str:
    """Format the 95 % interval of a leaderboard's mean, or its standard error if there is no interval."""
    if summary.interval:
        low, high = (score(end) for end in summary.interval)
        return f"{low}–{high}" if not low.startswith("−") else f"{low} to {high}"
    return "" if summary.standard_error is None else f"± {score(summary.standard_error)}"


@register.filter
@or_dash
def percent(value: float) -> str:
    """Format a share as a percentage with one decimal."""
    return f"{value * 100:.1f} %".replace("-", "−")


def whole_percent(part: float, whole: float) -> str:
    """Format a part in whole percent, rounded down: '100 %' only if complete, 'under 1 %' for little but not nothing."""
    percent = int(100 * part // whole) if whole else 0
    return f"{percent} %" if percent or not part else "under 1 %"


@register.filter
@or_dash
def share(value: float) -> str:
    """Format a share with two decimals, as the papers print litmus scores, competency and reliability."""
    return f"{value:.2f}".replace("-", "−")


@register.filter
def disk(size: float) -> str:
    """Format bytes as kilobytes of 1,000 bytes; from 1 MB on as megabytes."""
    kilobytes = size / 1000
    return f"{kilobytes:,.0f} kB" if kilobytes < 1000 else f"{kilobytes / 1000:,.1f} MB"


@register.filter
@or_dash
def money(nano: int) -> str:
    """Format billionths of a dollar as dollars and cents. Sums below 9.5 cents get four decimals."""
    dollars = usd(nano)
    if 0 < abs(dollars) < 0.00005:
        return "under $0.0001"
    return f"${dollars:.4f}" if 0 < abs(dollars) < 0.095 else f"${dollars:,.2f}"


@register.filter
def money_short(nano: int) -> str:
    """Format billionths of a dollar in at most five characters, for charts: $0, $0.42, $12.3, $847, $5.9k."""
    dollars = usd(nano)
    if dollars >= 999.5:
        return f"${dollars / 1000:.3g}k"
    return f"${dollars:.3g}" if dollars >= 0.995 else f"${dollars:.2f}" if dollars >= 0.005 else "$0"


@register.filter
def typed_dollars(nano: int | None) -> str:
    """Format billionths of a dollar as the value of a number input in dollars; "" for None."""
    return "" if nano is None else f"{usd(nano):.2f}"


@register.filter
@or_dash
def compact(value: float) -> str:
    """Format a count in at most four digits: 847, 5,912, 52.1 k, 2.94 M."""
    value = round(value)
    for limit, divisor, unit in ((10_000, 1, ""), (1_000_000, 1_000, " k"), (1_000_000_000, 1_000_000, " M")):
        if value < limit:
            return f"{value:,}" if divisor == 1 else f"{value / divisor:.3g}{unit}"
    return f"{value / 1_000_000_000:.3g} G"


@register.filter
@or_dash
def duration(seconds: float) -> str:
    """Format seconds in the largest two units: < 0.1 s, 0.4 s, 42 s, 3 min, 3 h 12 min. Integers get no decimals."""
    if 0 < seconds < 0.05:
        return "< 0.1 s"
    if seconds < 9.95 and not isinstance(seconds, int):
        return f"{seconds:.1f} s"
    seconds = round(seconds)
    for (size, unit), (smaller, below) in pairwise(UNITS):
        if seconds >= size:
            rest = seconds % size // smaller
            return f"{seconds // size} {unit} {rest} {below}" if rest else f"{seconds // size} {unit}"
    return f"{seconds} s"


def reach(low: str, high: str) -> str:
    """Format the range beside an expected value, such as '$0.66 to $5.48'; "" if both ends are printed alike."""
    return "" if low == high else f"{low} to {high}"


def span(values: Iterable[Any], text_of: Callable[[Any], str]) -> str:
    """Format the smallest and the largest value as a range, or as one value if both are printed alike."""
    ordered = sorted(values)
    return reach(text_of(ordered[0]), text_of(ordered[-1])) or text_of(ordered[0])


@or_dash
def signed_points(value: float) -> str:
    """Format a difference of shares in points of 100, always with its sign."""
    return f"{value * 100:+.1f}".replace("-", "−")


@register.filter
@or_dash
def number(value: float, digits: int = 2) -> str:
    """Format a number with thousands separators and a true minus sign. Integers get no decimals."""
    return (f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}").replace("-", "−")


@register.filter
@or_dash
def probability(p: float) -> str:
    """Format a p value: '0.38', '0.0312', '< 0.0001'."""
    return "< 0.0001" if p < 0.00005 else f"{p:.2f}" if p >= 0.1 else f"{p:.4f}"


def difference_sentence(first: str, second: str, points: float, is_decided: bool, is_litmus: bool = False) -> str:
    """Return a sentence such as 'B scores 9.1 points less than A'. `points` is the second score minus the first.

    If a test tells the agents apart (`is_decided`), they are never called the same. No litmus score is better than another.
    """
    size = f"{abs(points):.1f}"
    if size == "0.0":
        if not is_decided:
            return f"{first} and {second} score the same on average"
        size = "less than 0.1"
    if is_litmus:
        return f"{second} has a litmus score {size} points {'higher' if points > 0 else 'lower'} than {first}"
    return f"{second} scores {size} points {'more' if points > 0 else 'less'} than {first}"


def p_text(p: float | None) -> str:
    """Format a p value with its letter: 'p = 0.38', 'p < 0.0001', or 'p –'."""
    text = probability(p)
    return f"p = {text}" if text[0].isdigit() else f"p {text}"


@or_dash
def dollars(value: float) -> str:
    """Format an amount in dollars, the unit of environments."""
    return f"${value:,.2f}".replace("$-", "−$")


@or_dash
def cents(value: int) -> str:
    return dollars(value / 100)


@register.filter
@or_dash
def price(value: object) -> str:
    """Format a price in dollars per million tokens, with all decimals and at least two."""
    whole, _, decimals = f"{value:f}".partition(".")
    return f"${whole}.{decimals.rstrip('0').ljust(2, '0')}"


@register.filter
def counted(value: int, nouns: str) -> str:
    """Format a count with its noun: `3|counted:"run,runs"` is '3 runs'."""
    singular, _, plural = nouns.partition(",")
    return f"{value:,} {singular if value == 1 else plural or singular}"


@register.filter
def heat(value: float | None) -> str:
    """Return the CSS class that colours a score: heat-0 to heat-10; "" for None."""
    return "" if value is None else f"heat-{min(10, max(0, int(value * 10 + 0.5)))}"


@register.filter
def when(value: datetime | None) -> SafeString | str:
    """Format date and time in UTC. site.js rewrites all times in the reader's time zone, in the same width."""
    return DASH if value is None else _time(value, "%-d %b %Y, %H:%M")


@register.filter
def clock(value: datetime) -> SafeString:
    """Format a time of today, to the second."""
    return _time(value, "%H:%M:%S", "clock")


@register.filter
def moment(value: datetime) -> SafeString:
    """Format a day and a time, to the second."""
    return _time(value, "%-d %b, %H:%M:%S", "exact")


def _time(value: datetime, form: str, shown_as: str = "") -> SafeString:
    utc = value.astimezone(UTC)
    values = (f"{utc:%Y-%m-%dT%H:%M:%SZ}", shown_as, f"{utc:{form}}")
    return format_html('<time datetime="{}" data-when="{}">{}<noscript> UTC</noscript></time>', *values)


@register.filter
def lowfirst(text: str) -> str:
    """Return the text with a lower-case first letter, for the middle of a sentence."""
    return text[:1].lower() + text[1:]


@register.filter
def beside(first: Iterable[Any], second: Iterable[Any]) -> list[tuple[Any, Any]]:
    """Zip two rows, such as cells and their columns."""
    return list(zip(first, second, strict=True))


@register.filter
def as_json(value: Any) -> str:
    """Format JSON for readers. Short data stays on one line. So does very long data, which indenting would multiply."""
    line = json.dumps(value, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False, indent=2) if 100 < len(line) <= LONGEST_INDENTED else line


@register.filter
def until(start: datetime | None, end: datetime | None) -> str:
    """Format the time between two moments as a duration."""
    return DASH if start is None or end is None else duration(max(0.0, (end - start).total_seconds()))
