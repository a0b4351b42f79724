"""CSV for spreadsheets: cells that are not executed as formulas, and the byte order mark that Excel needs for UTF-8."""

import csv
import io
import json
from collections.abc import Container, Iterable
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Characters that start a formula in some spreadsheet. White space is here because some spreadsheets skip it."""


def csv_cell(value: Any) -> Any:
    """Convert a value for a cell. Text that looks like a formula gets an apostrophe in front; numbers stay numbers.

    A dict becomes JSON. The texts of a list are joined by empty lines.
    """
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        value = "\n\n".join(map(str, value))
    return "'" + value if isinstance(value, str) and value.startswith(FORMULA_STARTS) else value


def csv_text(rows: Iterable[Iterable[Any]]) -> str:
    """Return rows as lines of CSV."""
    text = io.StringIO()
    csv.writer(text).writerows([csv_cell(value) for value in row] for row in rows)
    return text.getvalue()


def byte_order_mark(query: Container[str], content_type: str) -> str:
    """Return the byte order mark for a CSV file if the query has `excel`, otherwise "".

    Programs other than Excel would take the mark for a part of the first heading.
    """
    return "\ufeff" if "excel" in query and content_type == "text/csv" else ""
