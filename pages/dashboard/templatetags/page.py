"""Template tags and filters of all pages."""

from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django import template
from django.utils import timezone
from django.utils.html import escape, format_html, format_html_join
from django.utils.safestring import SafeString, mark_safe
from lucide.jinja import lucide

from environments.generation import difficulty_title
from environments.prompts.variants import prompt_title
from environments.registry import score_format, variant_label
from games.presenter import HeatMap
from infrastructure.text import differences, rendering
from infrastructure.text.formats import DASH, compact, disk, duration, money, reach
from infrastructure.text.periods import period_of
from pages.dashboard.selectors.experiment_tables import SIGNS, MatrixColumn, TableRow
from runs.estimating.dry import EstimatedRange
from runs.models.instances import numbered
from runs.models.money import Budgeted
from runs.selectors.cells import environment_title, game_name, game_title
from runs.selectors.outcomes import aside
from runs.selectors.state_words import state_words
from workspace.discussion.selectors.comments import unread_mentions
from workspace.spending.selectors.months import Spent, month_spent

register = template.Library()
register.filter("environment_title", environment_title)
register.simple_tag(game_name)
register.simple_tag(game_title)
register.filter("variant_label", variant_label)
register.filter("prompt_title", prompt_title)
register.filter(difficulty_title)
register.filter("numbered", numbered)
register.filter(period_of)
register.filter("state_sign", lambda state: SIGNS.get(state, ""))
register.simple_tag(aside, name="call_aside")
register.simple_tag(rendering.highlight, name="excerpt")

MARKED = {"same": "{}", "removed": "<del>{}</del>", "added": "<ins>{}</ins>"}

LABELLED = 20
"""The most rows of a heat map that shows names and numbers."""


@register.simple_tag
def icon(name: str, size: int = 16) -> SafeString:
    """A decorative Lucide icon as inline SVG. The text beside it must carry the meaning."""
    return mark_safe(lucide(name, size=size, aria_hidden="true"))  # noqa: S308


@register.simple_tag(takes_context=True)
def month_spend(context: dict[str, Any]) -> Spent | None:
    organization = getattr(context.get("request"), "organization", None)
    return month_spent(organization=organization) if organization else None


@register.simple_tag(takes_context=True, name="unread_mentions")
def mentions_not_opened(context: dict[str, Any]) -> int:
    """The number of the reader's unread mentions in the current organization."""
    request: Any = context.get("request")
    organization = getattr(request, "organization", None)
    return unread_mentions(organization=organization, user=request.user) if organization else 0


@register.simple_tag(takes_context=True)
def current(context: dict[str, Any], *prefixes: str) -> SafeString | str:
    """The attribute aria-current if the page is below one of the prefixes, else an empty text."""
    if (request := context.get("request")) is None:
        return ""
    here = any(request.path == "/" if prefix == "/" else request.path.startswith(prefix) for prefix in prefixes)
    return mark_safe('aria-current="page"') if here else ""  # noqa: S308


@register.simple_tag(takes_context=True)
def with_query(context: dict[str, Any], name: str, value: object) -> str:
    """The current query string with one parameter set. Sorting goes back to page one."""
    query = context["request"].GET.copy()
    query[name] = str(value)
    if name.endswith("_sort"):
        query.pop(name.removesuffix("_sort"), None)
    return f"?{query.urlencode()}"


@register.filter
def rank_range(ranks: tuple[int, int] | None) -> str:
    """A range of ranks such as '2' or '2–4'; empty for a row without a rank."""
    return "" if ranks is None else "–".join(map(str, dict.fromkeys(ranks)))


@register.filter
def budget_tone(account: Budgeted) -> str:
    if not account.budget_nano or account.spent_percent < 80:
        return ""
    return "bad" if account.spent_percent >= 100 else "warn"


@register.simple_tag
def poll(
    active: object, address: str, seconds: int, swap: str = "outerHTML", select: str = "", **query: object
) -> SafeString | str:
    """HTML attributes that reload an element every few seconds while `active` is true."""
    if not active:
        return ""
    pairs = {
        "hx-get": f"{address}?{urlencode(query)}" if query else address,
        "hx-trigger": f"every {seconds}s",
        "hx-select": select,
        "hx-swap": swap,
    }
    return format_html("data-poll {}", format_html_join(" ", '{}="{}"', [pair for pair in pairs.items() if pair[1]]))


@register.simple_tag
def range_of(estimated: EstimatedRange, form: str) -> SafeString | str:
    """The range of an estimate, to be shown beside its expected value."""
    forms: dict[str, Callable[[float], str]]
    forms = {"compact": compact, "disk": disk, "duration": duration, "money": lambda nano: money(round(nano))}
    text = reach(*map(forms[form], (estimated.low, estimated.high)))
    return format_html('<span class="range">{}</span>', text) if text else ""


@register.simple_tag
def age(since: datetime) -> SafeString:
    """The time since then. A script on the page keeps it up to date."""
    seconds = round(max(0.0, (timezone.now() - since).total_seconds()))
    return format_html('<span data-age="{}">{}</span>', seconds, duration(seconds))


@register.inclusion_tag("parts/_sortable_of.html", takes_context=True)
def sort_heading(
    context: dict[str, Any], table: str, key: str, label: str, numeric: bool = True, about: str = ""
) -> dict[str, Any]:
    """A heading that sorts one of several tables. Its query parameter is the table's name with '_sort'."""
    now = context["asked"].get(f"{table}_sort") or "-cost"
    ascending = now == f"-{key}" or (now != key and not numeric)
    href = with_query(context, f"{table}_sort", key if ascending else f"-{key}")
    return {
        "href": f"{href}#{table}",
        "label": label,
        "numeric": numeric,
        "order": {key: "ascending", f"-{key}": "descending"}.get(now, ""),
        "about": about,
    }


@register.simple_tag
def heat_map(ranking: HeatMap) -> SafeString:
    """A table of ranks as an SVG square. Small ones show names and numbers."""
    size = max(1, len(ranking.column_names))
    step = max(8, min(24, 480 // size))
    left, top = 34, 18
    width, height = left + size * step, top + len(ranking.row_names) * step
    labels = size <= LABELLED
    caption = escape(ranking.caption)
    parts = [f'<svg class="ranks" width="{width}" viewBox="0 0 {width} {height}" role="img" aria-label="{caption}">']
    parts += [
        f'<text x="{left + (i + 0.5) * step}" y="12">{escape(name)}</text>'
        for i, name in enumerate(ranking.column_names if labels else ())
    ]
    for i, (name, ranks) in enumerate(zip(ranking.row_names, ranking.values, strict=True)):
        y = top + i * step
        if labels:
            parts.append(f'<text class="row" x="{left - 5}" y="{y + step / 2 + 4}">{escape(name)}</text>')
        for j, rank in enumerate(ranks):
            level, x = 10 - round(10 * rank / max(1, size - 1)), left + j * step
            parts.append(f'<rect class="rank-{level}" x="{x}" y="{y}" width="{step - 1}" height="{step - 1}"/>')
            if labels:
                parts.append(f'<text x="{left + (j + 0.5) * step}" y="{y + step / 2 + 4}">{rank + 1}</text>')
    return mark_safe(f"<figure><figcaption>{caption}</figcaption>{''.join(parts)}</svg></figure>")  # noqa: S308


@register.filter
def marked(pieces: Iterable[differences.Piece]) -> SafeString:
    """The differences of two texts as HTML, with removed words in <del> and added words in <ins>."""
    return format_html_join("", "{}", ((format_html(MARKED[kind], text),) for kind, text in pieces))


@register.simple_tag
def score_of(value: float, environment: str, variant: str) -> SafeString:
    """A run's score in the format and colour of its environment and variant."""
    written = score_format(environment, variant)
    return format_html(
        '<span class="heat {}" title="{}">{}</span>', written.heat(value), written.label, written.text(value)
    )


@register.simple_tag
def run_state(state: str, cause: str, reason: str) -> SafeString:
    """A run's state, with the cause if the run is paused."""
    return format_html('<span class="state {}">{}</span>', state, state_words(state, cause, reason))


@register.simple_tag
def cost(nano: int, imported: bool, unpriced: bool = False) -> SafeString | str:
    """The cost of a run or a part of it; a dash with the reason if it is unknown."""
    if imported:
        return unknown("The log does not say what this cost.")
    return unknown("No price is known for this model.") if unpriced else money(nano)


@register.simple_tag
def took(seconds: float | None, imported: bool) -> SafeString | str:
    """The duration of a part of a run. Logs of imported runs have times in whole seconds, or none."""
    if seconds is None:
        return unknown("The log does not say how long this took.")
    return duration(seconds) if not imported else duration(round(seconds)) if seconds else "under 1 s"


def unknown(why: str) -> SafeString:
    return format_html('<span class="faint" title="{}">{}<span class="sr"> {}</span></span>', why, DASH, why)


@register.filter
def as_logged(value: datetime) -> str:
    """A time of an imported run, in the unknown time zone of its log."""
    return f"{value.day} {value:%b %Y, %H:%M}"


@register.simple_tag
def matrix_cells(row: TableRow, columns: list[MatrixColumn], prefix: str = "") -> SafeString:
    """The cells of a matrix row. A template would take twice as long for thousands of cells.

    prefix: the address before the run's number
    Only the first cell is a tab stop; arrow keys reach the others.
    """
    parts, stop = [], ""
    for cell, column in zip(row.cells, columns, strict=True):
        parts.append('<td class="gap">' if column.starts_block else "<td>")
        if cell is not None:
            parts.append(
                f'<a id="c{cell.run_id}" class="cell {cell.css}" href="{escape(prefix or "/runs/")}{cell.run_id}/" '
                f'aria-label="{escape(cell.label)}"{stop}>{cell.text}</a>'
            )
            stop = ' tabindex="-1"'
        parts.append("</td>")
    return mark_safe("".join(parts))  # noqa: S308
