"""A template tag that renders the cells of a Table. A template would take several times as long."""

from collections.abc import Iterable

from django import template
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from infrastructure.text.tables import Column, Printed

register = template.Library()


@register.simple_tag
def table_cells(row: Iterable[tuple[Column, Printed]], has_row_heads: bool = False) -> SafeString:
    """Render a row. has_row_heads: the first cell heads the row"""
    cells = (_cell(*parts, is_head=bool(has_row_heads) and not index) for index, parts in enumerate(row))
    return format_html_join("", "{}", ((cell,) for cell in cells))


def _cell(column: Column, cell: Printed, *, is_head: bool) -> SafeString:
    if is_head:
        return format_html('<th scope="row">{}</th>', cell.text)
    css = " ".join(filter(None, ("num" if column.is_number else "", cell.tone)))
    first_line, *others = cell.text.splitlines() or [""]
    lines = format_html_join("", "<br>{}", ((line,) for line in others))
    small = format_html(" <small>{}</small>", cell.small) if cell.small else ""
    return format_html('<td class="{}">{}{}{}</td>', css, first_line, lines, small)
