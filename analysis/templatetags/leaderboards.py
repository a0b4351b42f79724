"""Template tags that render the cells of leaderboards."""

from collections.abc import Mapping
from urllib.parse import quote

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString

from analysis.base.litmus_filters import litmus_prompts
from analysis.base.published import published_style
from analysis.base.table import TableRow
from analysis.benchmark.cells import bounds
from analysis.benchmark.leaderboard import LeaderboardCell
from environments.prompts.variants import is_own, variant_name
from infrastructure.figures.colours import AgentStyle
from infrastructure.figures.marks import mark
from infrastructure.text.formats import heat, precision, score
from stats.summaries import Summary

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
    inner = format_html(
        '<span class="score">{}</span> <small>{}</small> <small>{}</small> <small>{}</small>',
        *(score(summary.mean), precision(summary), coverage(summary), bounds(summary)),
    )
    if cell.address:
        values = (first, cell.address, css, cell.sentence, inner)
        return format_html('<td class="num{}"><a href="{}" class="cell {}" title="{}">{}</a></td>', *values)
    return format_html(
        '<td class="num{}"><span class="cell {}" title="{}">{}</span></td>', first, css, cell.sentence, inner
    )


def coverage(summary: Summary) -> str:
    """'3/5' for solved of scored instances; else '3 of 5' for scored of started instances, empty if all are scored."""
    if summary.mean is not None and summary.solved is not None:
        return f"{summary.solved}/{summary.n}"
    return "" if summary.complete else f"{summary.n} of {summary.of}"
