"""Template tags that render the cells of leaderboards."""

from collections.abc import Mapping
from urllib.parse import quote

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from analysis.base.leaderboard import LeaderboardRow
from analysis.base.litmus_filters import litmus_prompts
from analysis.base.published import published_style
from analysis.base.table import TableRow
from analysis.benchmark.leaderboard import LeaderboardCell
from analysis.benchmark.ranks import Standing
from analysis.benchmark.table import Row
from environments.prompts.variants import is_own, variant_name
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.marks import mark
from infrastructure.text.formats import counted, heat, precision, score

register = template.Library()
register.filter(litmus_prompts)
register.filter(is_own)


@register.simple_tag
def agent_mark(row: TableRow, styles: Mapping[int, AgentStyle]) -> SafeString | str:
    """The mark of a row's agent as in the figures; "" for an agent without a run."""
    style = published_style(row.name) if row.agent_id is None else styles.get(row.agent_id)
    return mark(style) if style else ""


@register.simple_tag
def whisker(ends: tuple[float, float, float]) -> SafeString:
    """A line between the ends of an interval with a dot at the number, as percent of the scale."""
    low, high, middle = ends
    return format_html(
        '<svg class="whisker" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">'
        '<path class="track" d="M0 5H100"/><path d="M{} 5H{}M{} 2V8M{} 2V8"/><path class="at" d="M{} 2.5V7.5"/></svg>',
        *(low, high, low, high, middle),
    )


@register.simple_tag
def litmus_variant(slug: str) -> str:
    """The name of the main variant with the own prompts of a slug, quoted for a URL."""
    return quote(variant_name("main", slug))


@register.simple_tag
def leaderboard_cell(cell: LeaderboardCell) -> SafeString:
    """Render a cell of a leaderboard. A template would take several times as long for hundreds of cells."""
    first, summary = " first" if cell.first else "", cell.summary
    if summary is None:
        return format_html('<td class="none{}"><span class="faint" title="{}">–</span></td>', first, cell.sentence)
    css = f"{heat(summary.mean)} partial" if summary.left_out else heat(summary.mean)
    inner = format_html('<span class="score">{}</span>', score(summary.mean))
    counts = "" if summary.complete or not summary.of else f"{summary.n} of {summary.of}"
    if details := ", ".join(filter(None, [precision(summary), counts])):
        inner += format_html('<span class="sr">, {}</span>', details)
    if cell.address:
        values = (first, cell.address, css, cell.sentence, inner)
        return format_html('<td class="num{}"><a href="{}" class="cell {}" title="{}">{}</a></td>', *values)
    return format_html(
        '<td class="num{}"><span class="cell {}" title="{}">{}</span></td>', first, css, cell.sentence, inner
    )


WIDTH, HEIGHT, EDGE = 132, 14, 10
"""Pixels of the small axis in a row, and the room at both of its ends."""


@register.simple_tag
def mean_axis(line: LeaderboardRow[Row, LeaderboardCell], axis: tuple[float, float]) -> SafeString:
    """Render the mean of a row with its interval on the axis that all rows share, as an SVG."""
    row = line.row
    if row.overall is None:
        return format_html("{}", "")
    marks = format_html_join("", '<path class="tick" d="M{} 0V14"/>', ((at,) for at, _ in _ticks(axis)))
    middle = _position(row.overall, axis)
    if row.interval is None:
        return _svg(marks, format_html('<circle class="open" cx="{}" cy="7" r="3"/>', middle))
    low, high = row.interval
    ends = (_position(low, axis), _position(high, axis))
    whisker = format_html('<path class="whisker" d="M{} 7H{}"/><circle cx="{}" cy="7" r="3"/>', *ends, middle)
    return _svg(marks, whisker) + format_html(
        '<span class="sr">, 95 % interval {} to {}</span>', *map(score, (low, high))
    )


@register.simple_tag
def axis_scale(axis: tuple[float, float]) -> SafeString:
    """Render the numbers of the small axis for the heading of its column, as an SVG."""
    return _svg(format_html_join("", '<text x="{}" y="11">{}</text>', _ticks(axis)))


def _svg(*parts: SafeString) -> SafeString:
    return format_html(
        '<svg class="mean-axis" width="{}" height="{}" aria-hidden="true">{}</svg>',
        *(WIDTH, HEIGHT, format_html_join("", "{}", ((part,) for part in parts))),
    )


def _ticks(axis: tuple[float, float]) -> list[tuple[float, int]]:
    """The position and the score in points of each tick."""
    return [(_position(points / 100, axis), points) for points in (-100, -50, 0, 50, 100) if points / 100 >= axis[0]]


def _position(value: float, axis: tuple[float, float]) -> float:
    low, high = axis
    return round(EDGE + (value - low) / (high - low) * (WIDTH - 2 * EDGE), 1)


@register.filter
def rank_sentence(standing: Standing) -> str:
    """The rank of a row in words, such as 'Rank 6 of 22 by mean. No test excludes the ranks 1 to 22.'"""
    if standing.rank is None:
        return "Not ranked: no other agent has scores in the same columns."
    tested = " No test excludes the ranks {} to {}.".format(*standing.ranks) if standing.ranks else ""
    return f"Rank {standing.rank} of {standing.rank_of} by mean.{tested}"


@register.filter
def mean_sentence(row: Row) -> str:
    """The mean of a row in words, with its interval and its columns."""
    if row.overall is None:
        return "No score yet."
    interval = ", 95 % interval {} to {}".format(*map(score, row.interval)) if row.interval else ""
    return f"Mean {score(row.overall)} of 100 over {counted(len(row.means), 'column,columns')}{interval}."
