"""Flat records of runs, one a period."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from infrastructure.money import usd
from runs.models import Note, Period, Run

RUNS_AT_ONCE = 20
PERIODS_AT_ONCE = 100
UNUSED = ("config", "metrics", "instance__settings", "instance__parameters", "instance__hidden", "instance__reference")


def period_records(runs: QuerySet[Run]) -> Iterator[dict[str, Any]]:
    """A record for every played period with the agent's notes, or one record for a run without periods.

    Records do not depend on time or worker, so an interrupted run exports the same. No query stays open between pages
    of rows, since a download may take hours.
    """
    rows = runs.select_related("instance", "agent").defer(*UNUSED).order_by("id")
    last = 0
    while page := list(rows.filter(pk__gt=last)[:RUNS_AT_ONCE]):
        last = page[-1].pk
        for run in page:
            yield from _records(run)


def _records(run: Run) -> Iterator[dict[str, Any]]:
    head = _run_record(run)
    last = -1
    while page := list(Period.objects.filter(run=run, index__gt=last)[:PERIODS_AT_ONCE]):
        notes = _notes(run, last + 1, page[-1].index)
        last = page[-1].index
        for period in page:
            yield head | _period_record(period, notes.get(period.index, {}), run)
    if last < 0:
        yield head


def _notes(run: Run, first: int, last: int) -> dict[int, dict[str, list[str]]]:
    """By period and seat."""
    notes: dict[int, dict[str, list[str]]] = {}
    rows = Note.objects.filter(run=run, period_index__gte=first, period_index__lte=last)
    for index, seat, text in rows.values_list("period_index", "seat", "text"):
        notes.setdefault(index, {}).setdefault(seat, []).append(text)
    return notes


def _run_record(run: Run) -> dict[str, Any]:
    record: dict[str, Any] = {
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
    return record | {"imported": True} if run.imported else record


def _period_record(period: Period, notes: dict[str, list[str]], run: Run) -> dict[str, Any]:
    return {
        "period": period.index,
        "action": period.action,
        "outcome": period.result,
        "quality": period.quality,
        "notes": [text for texts in notes.values() for text in texts],
        "notes_by_seat": notes,
        "queries": period.queries,
        "input_tokens": period.input_tokens,
        "cached_tokens": period.cached_tokens,
        "output_tokens": period.output_tokens,
        "cost_usd": None if run.imported else usd(period.cost_nano),
    }
