"""Template tags and filters of the page that compares agents."""

from collections.abc import Iterable
from functools import partial

from django import template
from django.urls import reverse
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

from analysis.base.matching import Match, Side
from analysis.comparing.sentences import method, sentence
from infrastructure.text.formats import DASH
from infrastructure.text.table_cells import number_cells
from infrastructure.text.tables import Printed
from stats.means import Interval

register = template.Library()
register.filter("answer_above_numbers", partial(sentence, has_basis=False))
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
    """Render the instances of two agents as table rows, in Python because there may be hundreds."""
    runs = reverse("dashboard:run", args=[0]).removesuffix("0/")
    return format_html_join("", '<tr><th scope="row">{}</th>{}</tr>', (_match_row(match, runs) for match in matches))


def _match_row(match: Match, runs: str) -> tuple[str, SafeString]:
    difference = Printed(signed(match.difference)) if match.is_pair else Printed("not counted", tone="soft")
    return match.title, number_cells([_side(match.first, runs), _side(match.second, runs), difference])


def _side(side: Side | None, runs: str) -> Printed:
    """The score of an agent on an instance. runs: start of the addresses of runs"""
    if side is None:
        return Printed(DASH, tone="soft")
    small = f"mean of {side.runs} runs" if side.runs > 1 else ""
    return Printed(points(side.score), small, link=f"{runs}{side.run_id}/")
