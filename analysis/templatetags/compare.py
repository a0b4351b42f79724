"""Template tags and filters of the page that compares agents."""

from collections.abc import Iterable
from html import escape

from django import template
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe

from analysis.base.matching import Match, Side
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


@register.simple_tag
def match_rows(matches: Iterable[Match]) -> SafeString:
    """Render the instances of two agents as table rows. A template would take several times as long for hundreds."""
    first_run = reverse("dashboard:run", args=[0])
    return mark_safe("".join(_match_row(match, first_run.removesuffix("0/")) for match in matches))  # noqa: S308


def _match_row(match: Match, runs: str) -> str:
    difference = signed(match.difference) if match.is_pair else '<span class="faint">not counted</span>'
    values = (_side(match.first, runs), _side(match.second, runs), difference)
    cells = "".join(f'<td class="num">{value}</td>' for value in values)
    return f'<tr><th scope="row">{escape(match.title)}</th>{cells}</tr>'


def _side(side: Side | None, runs: str) -> str:
    """The score of one agent on an instance. runs: start of the address of a run"""
    if side is None:
        return f'<span class="faint" title="No finished run">{DASH}</span>'
    several = f' <small class="faint">mean of {side.runs} runs</small>' if side.runs > 1 else ""
    return f'<a href="{runs}{side.run_id}/">{points(side.score)}</a>{several}'
