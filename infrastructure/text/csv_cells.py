"""What may stand in a cell of a CSV file."""

from __future__ import annotations

import json
from typing import Any

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
"""Spreadsheets take text that begins so for a formula, or skip the white space and then do."""


def csv_cell(value: Any) -> Any:
    """Text that a spreadsheet would take for a formula gets an apostrophe before it; numbers stay numbers.

    Objects become JSON, which begins with a brace; a list of texts becomes the texts with an empty line between them.
    """
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        value = "\n\n".join(map(str, value))
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return "'" + value
    return value
