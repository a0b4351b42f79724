"""CSV cells that spreadsheets do not execute as formulas."""

import json
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
