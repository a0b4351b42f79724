"""Template filter that prints the cells of a table."""

from collections.abc import Iterator

from django import template

from infrastructure.text.tables import Printed, Table, printed

register = template.Library()


@register.filter
def printed_rows(table: Table) -> Iterator[list[tuple[str, str, str]]]:
    """(CSS class, text, small print) of every cell, row by row."""
    css = ["num" if is_number else "" for is_number in table.numeric]
    for row in table.rows:
        yield [
            (kind, value.text, value.small) if isinstance(value, Printed) else (kind, printed(value, column.digits), "")
            for kind, column, value in zip(css, table.columns, row, strict=True)
        ]
