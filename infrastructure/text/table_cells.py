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
    cells = (
        f'<th scope="row">{escape(cell.text)}</th>'
        if has_row_heads and not index
        else _cell(cell, is_number=column.is_number)
        for index, (column, cell) in enumerate(row)
    )
    return mark_safe("".join(cells))  # noqa: S308


def number_cells(cells: Iterable[Printed | str]) -> SafeString:
    """Render cells with printed numbers."""
    printed = (Printed(cell) if isinstance(cell, str) else cell for cell in cells)
    return mark_safe("".join(_cell(cell, is_number=True) for cell in printed))  # noqa: S308


def _cell(cell: Printed, *, is_number: bool) -> str:
    css = " ".join(filter(None, ("num" if is_number else "", cell.tone)))
    lines = "<br>".join(map(escape, cell.text.splitlines()))
    linked = f'<a href="{escape(cell.link)}">{lines}</a>' if cell.link else lines
    small = f" <small>{escape(cell.small)}</small>" if cell.small else ""
    return f'<td class="{css}">{linked}{small}</td>'
