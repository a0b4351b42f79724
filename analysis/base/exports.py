"""Rows as CSV text."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from infrastructure.text.csv_cells import csv_cell


def as_csv(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    text = io.StringIO()
    writer = csv.writer(text)
    writer.writerow(head)
    writer.writerows([csv_cell(value) for value in row] for row in rows)
    return text.getvalue()
