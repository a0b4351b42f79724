"""Records as JSON Lines and CSV."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from infrastructure.text.csv_cells import csv_cell
from runs.models import Run
from workspace.transfer.writing.records import period_records

RUN = ("experiment", "run", "environment", "difficulty", "seed", "generator", "agent", "variant", "prompt_version")
PERIOD = ("state", "score", "period", "quality", "action", "outcome", "notes")
USAGE = ("queries", "input_tokens", "cached_tokens", "output_tokens", "cost_usd")
PLANS = ("feasible", "cost_cents", "workers", "share_of_optimum", "blocking_pairs", "stable")
FLAT = (*PLANS, "total_profit", "revenue", "total_revenue", "inequality", "later_share")
"""Outcomes of one value, a column each, empty if an environment lacks it. All files have the same columns, so that they
can be concatenated."""

NEWER = ("imported", "notes_by_seat", "player_class", "reasoning_tokens", "conditions", "thinking_usd")
COLUMNS = (*RUN, *PERIOD, *USAGE, *FLAT, *NEWER)
"""New columns come last, so that readers by position keep working."""


def jsonl_lines(runs: QuerySet[Run]) -> Iterator[str]:
    """One JSON object a line, unrounded. Only here is the thinking: cells of a table hold too little for it."""
    for record in period_records(runs, with_thinking=True):
        yield json.dumps(record, ensure_ascii=False) + "\n"


def csv_lines(runs: QuerySet[Run]) -> Iterator[str]:
    """A heading, then one row a period: action and outcome as JSON, and single-valued outcomes in columns."""
    yield _line(COLUMNS)
    for record in period_records(runs):
        flat = record.get("outcome", {})
        yield _line([csv_cell(flat.get(name) if name in FLAT else record.get(name)) for name in COLUMNS])


def _line(cells: Any) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()
