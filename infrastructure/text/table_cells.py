"""Cells of tables, rendered in Python. A template or `format_html` would take several times as long for thousands."""

from collections.abc import Iterable
from html import escape

from django import template
from django.utils.safestring import SafeString, mark_safe

from infrastructure.text.tables import Column, Printed

register = template.Library()


@register.simple_tag
def table_cells(row: Iterable[tuple[Column, Printed]], has_row_heads: bool = False) -> SafeString:
    """Render a row. has_row_heads: the first cell heads the row"""
    cells = (_cell(*parts, is_head=bool(has_row_heads) and not index) for index, parts in enumerate(row))
    return mark_safe("".join(cells))  # noqa: S308


def number_cells(texts: Iterable[str]) -> SafeString:
    """Cells that hold printed numbers."""
    return mark_safe("".join(f'<td class="num">{escape(text)}</td>' for text in texts))  # noqa: S308


def _cell(column: Column, cell: Printed, *, is_head: bool) -> str:
    if is_head:
        return f'<th scope="row">{escape(cell.text)}</th>'
    css = " ".join(filter(None, ("num" if column.is_number else "", cell.tone)))
    lines = "<br>".join(map(escape, cell.text.splitlines()))
    small = f" <small>{escape(cell.small)}</small>" if cell.small else ""
    return f'<td class="{css}">{lines}{small}</td>'
