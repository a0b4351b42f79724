"""Template filters of the page that compares agents."""

from django import template

from analysis.comparing.sentences import method, sentence
from infrastructure.text.formats import DASH
from stats.means import Interval

register = template.Library()
register.filter("sentence", sentence)
register.filter("method", method)


@register.filter
def signed(points: float | None, digits: int = 1) -> str:
    """Points with their sign, and a real minus character."""
    return DASH if points is None else f"{points:+.{digits}f}".replace("-", "−")


@register.filter
def interval(bounds: Interval | None, digits: int = 1) -> str:
    return DASH if bounds is None else f"{signed(bounds[0], digits)} to {signed(bounds[1], digits)}"


@register.filter
def points(value: float | None) -> str:
    return DASH if value is None else f"{value:.1f}".replace("-", "−")
