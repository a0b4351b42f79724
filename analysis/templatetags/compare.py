"""Template filters of the page that compares agents."""

from django import template

from analysis.comparing.comparison import method, sentence
from infrastructure.text.formats import DASH
from stats.means import Interval

register = template.Library()
register.filter("sentence", sentence)
register.filter("method", method)


@register.filter
def signed(points: float | None) -> str:
    """Points with their sign, and a real minus character."""
    return DASH if points is None else f"{points:+.1f}".replace("-", "−")


@register.filter
def interval(bounds: Interval | None) -> str:
    return DASH if bounds is None else f"{signed(bounds[0])} to {signed(bounds[1])}"


@register.filter
def points(value: float | None) -> str:
    return DASH if value is None else f"{value:.1f}".replace("-", "−")
