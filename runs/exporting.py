"""Runs as flat records, one a period, for JSON Lines and CSV."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from typing import Any, TextIO

from django.db.models import QuerySet

from runs.models import Note, Period, Run

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def period_records(runs: QuerySet[Run]) -> Iterator[dict[str, Any]]:
    """A record for every played period, with what the agent wrote; of a run without periods one record without them.

    Nothing here depends on when or by which worker a period was played, so a run that was interrupted and one that was
    not export the same.
    """
    for run in runs.select_related("instance", "agent").order_by("id").iterator(chunk_size=20):
        notes: dict[int, list[str]] = {}
        for index, text in Note.objects.filter(run=run).values_list("period_index", "text"):
            notes.setdefault(index, []).append(text)
        head = _run_record(run)
        periods = Period.objects.filter(run=run)
        for period in periods.iterator(chunk_size=100):
            yield head | _period_record(period, notes.get(period.index, []))
        if not periods:
            yield head


def _run_record(run: Run) -> dict[str, Any]:
    return {
        "experiment": run.experiment_id,
        "run": run.pk,
        "environment": run.instance.environment,
        "difficulty": run.instance.difficulty,
        "seed": run.instance.seed,
        "generator": run.instance.generator,
        "agent": run.agent.slug,
        "variant": run.variant,
        "prompt_version": run.prompt_version,
        "state": run.state,
        "score": run.score,
    }


def _period_record(period: Period, notes: list[str]) -> dict[str, Any]:
    return {
        "period": period.index,
        "action": period.action,
        "outcome": period.result,
        "quality": period.quality,
        "notes": notes,
        "queries": period.queries,
        "input_tokens": period.input_tokens,
        "cached_tokens": period.cached_tokens,
        "output_tokens": period.output_tokens,
        "cost_usd": period.cost_nano / 1_000_000_000,
    }


COLUMNS = (
    "experiment",
    "run",
    "environment",
    "difficulty",
    "seed",
    "generator",
    "agent",
    "variant",
    "prompt_version",
    "state",
    "score",
    "period",
    "quality",
    "action",
    "outcome",
    "notes",
    "queries",
    "input_tokens",
    "cached_tokens",
    "output_tokens",
    "cost_usd",
)


def write_jsonl(runs: QuerySet[Run], file: TextIO) -> None:
    for record in period_records(runs):
        file.write(json.dumps(record, ensure_ascii=False) + "\n")


def write_csv(runs: QuerySet[Run], file: TextIO) -> None:
    writer = csv.writer(file)
    writer.writerow(COLUMNS)
    for record in period_records(runs):
        writer.writerow([csv_cell(record.get(column)) for column in COLUMNS])


def csv_cell(value: Any) -> Any:
    """Text that a spreadsheet would take for a formula is marked as text."""
    if isinstance(value, dict):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        value = "\n\n".join(value)
    if isinstance(value, str) and value.startswith(FORMULA_STARTS):
        return "'" + value
    return value
