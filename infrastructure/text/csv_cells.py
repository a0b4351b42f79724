"""CSV as spreadsheets need it: cells that they do not execute as formulas, and the mark after which Excel reads UTF-8."""

import json
from collections.abc import Container
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Starts of text that spreadsheets read as a formula, some after skipping white space."""


def csv_cell(value: Any) -> Any:
    """Text that looks like a formula gets an apostrophe in front. Numbers stay numbers.

    Objects become JSON, which starts with a brace. A list of texts is joined with empty lines.
    """
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        value = "\n\n".join(map(str, value))
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return "'" + value
    return value


def byte_order_mark(query: Container[str], content_type: str) -> str:
    """What a file begins with: the mark where `excel` was asked for. Others would take it for a part of the heading."""
    return "\ufeff" if "excel" in query and content_type == "text/csv" else ""
