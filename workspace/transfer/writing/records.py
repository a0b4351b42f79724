"""Flat records of runs, one per period, as JSON Lines and CSV."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from infrastructure.money import usd
from infrastructure.text.csv_cells import csv_cell
from runs.models import Exchange, Note, Period, Run
from runs.models.records import ANSWERED
from runs.selectors.conditions import conditions_notes, conditions_words

RUNS_AT_ONCE = 20
PERIODS_AT_ONCE = 100
TOKENS = ("queries", "input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens")
UNUSED = ("config", "metrics", "instance__settings", "instance__parameters", "instance__hidden", "instance__reference")


def period_records(runs: QuerySet[Run], *, with_thinking: bool = False) -> Iterator[dict[str, Any]]:
    """A record for every played period with the agent's notes, or a single record for a run without periods.

    Records do not depend on time or worker, so an interrupted run gives the same export. No query stays open between
    pages of rows, since a download may take hours.
    """
    rows = runs.select_related("instance", "agent", "rival").defer(*UNUSED).order_by("id")
    last = 0
    while page := list(rows.filter(pk__gt=last)[:RUNS_AT_ONCE]):
        last = page[-1].pk
        for run in page:
            yield from _records(run, with_thinking=with_thinking)


def _records(run: Run, *, with_thinking: bool) -> Iterator[dict[str, Any]]:
    head = (
        {
            "experiment": run.experiment_id,
            "run": run.pk,
            **{name: getattr(run.instance, name) for name in ("environment", "difficulty", "seed", "generator")},
            "agent": run.agent.slug,
            **{name: getattr(run, name) for name in ("variant", "prompt_version", "state", "score")},
        }
        | ({"imported": True} if run.imported else {})
        | ({"repeat": run.repeat} if run.repeat else {})
        | ({"player_class": run.agent.player_class} if run.agent.is_outside else {})
        | ({"conditions": _conditions(run)} if run.conditions_key else {})
    )
    is_paid_here = not (run.imported or run.agent.is_outside)
    last = -1
    while page := list(Period.objects.filter(run=run, index__gt=last)[:PERIODS_AT_ONCE]):
        notes: dict[int, dict[str, list[str]]] = {period.index: {} for period in page}
        rows = Note.objects.filter(run=run, period_index__gt=last, period_index__lte=page[-1].index)
        for index, seat, text in rows.values_list("period_index", "seat", "text"):
            notes.setdefault(index, {}).setdefault(seat, []).append(text)
        last = page[-1].index
        for period in page:
            yield head | {
                "period": period.index,
                "action": period.action,
                "outcome": period.result,
                "quality": period.quality,
                "notes": [text for texts in notes[period.index].values() for text in texts],
                "notes_by_seat": notes[period.index],
                **{name: getattr(period, name) for name in TOKENS},
                "cost_usd": usd(period.cost_nano) if is_paid_here else None,
                "thinking_usd": usd(period.thinking_nano) if is_paid_here else None,
                **({"thinking_by_seat": _thinking(run, period.index)} if with_thinking else {}),
            }
    if last < 0:
        yield head


def _conditions(run: Run) -> str:
    return "; ".join(filter(None, (conditions_words(run), *conditions_notes(run))))


def _thinking(run: Run, index: int) -> dict[str, list[str]]:
    """The thinking in the period's replies by seat, in order. Runs without recorded request settings have none."""
    texts: dict[str, list[str]] = {}
    rows: Any = Exchange.objects.filter(run=run, period_index=index, state__in=ANSWERED)
    for seat, reply in rows.values_list("seat", "reply") if run.conditions else ():
        if reply.get("thinking"):
            texts.setdefault(seat, []).append(reply["thinking"])
    return texts


FLAT = (
    *("feasible", "cost_cents", "workers", "share_of_optimum", "blocking_pairs", "stable"),
    *("total_profit", "revenue", "total_revenue", "inequality", "later_share"),
)
"""Single-valued outcomes, with a column each, which is empty if an environment lacks it. All files have the same columns,
so that they can be concatenated."""

COLUMNS = (
    *("experiment", "run", "environment", "difficulty", "seed", "generator", "agent", "variant", "prompt_version"),
    *("state", "score", "period", "quality", "action", "outcome", "notes"),
    *("queries", "input_tokens", "cached_tokens", "output_tokens", "cost_usd"),
    *FLAT,
    *("imported", "notes_by_seat", "player_class", "reasoning_tokens", "conditions", "thinking_usd", "repeat"),
)
"""New columns come last, so that readers by position keep working."""


def jsonl_lines(runs: QuerySet[Run]) -> Iterator[str]:
    """One JSON object per line, unrounded. Only this format has the thinking, since table cells are too small for it."""
    for record in period_records(runs, with_thinking=True):
        yield json.dumps(record, ensure_ascii=False) + "\n"


def csv_lines(runs: QuerySet[Run]) -> Iterator[str]:
    """A heading, then one row per period.

    Action and outcome are JSON; single-valued outcomes also have their own columns.
    """
    yield _line(COLUMNS)
    for record in period_records(runs):
        flat = record.get("outcome", {})
        yield _line([csv_cell(flat.get(name) if name in FLAT else record.get(name)) for name in COLUMNS])


def _line(cells: Any) -> str:
    text = io.StringIO()
    csv.writer(text).writerow(cells)
    return text.getvalue()
