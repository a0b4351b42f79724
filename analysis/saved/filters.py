"""Filters as JSON, and as words. Stored JSON is read through the form of the page, so it is as valid as a query string."""

from __future__ import annotations

from dataclasses import fields
from datetime import date
from typing import Any

from django.http import QueryDict

from analysis.base.filters import BoardFilter
from analysis.base.forms import ROW_LABELS
from analysis.kinds import BOARD_TYPES
from infrastructure.text.formats import counted

VIEW = ("sort", "chart", "agent", "seed")
"""Choices of a reader of the page. Only the sort order is stored with the leaderboard."""


def to_json(chosen: BoardFilter) -> dict[str, Any]:
    """Every value, defaults included: a default may change, a saved leaderboard may not."""
    kept = {part.name: getattr(chosen, part.name) for part in fields(chosen) if part.name not in VIEW[1:]}
    return {name: _plain(value) for name, value in kept.items() if value not in (None, "", (), 0)}


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return [str(one) for one in value] if isinstance(value, tuple) else value


def from_json(kind: str, filters: dict[str, Any], view: QueryDict | None = None) -> BoardFilter:
    """The filter of stored JSON. `view` is a query string, of which only VIEW counts.

    Stored agents and lengths are valid choices, even without a run.
    """
    data = as_query(filters)
    for name in VIEW:
        if view is not None and (value := view.get(name)):
            data.setlist(name, [value])
    agents = [(slug, slug) for slug in filters.get("agents", ())]
    lengths = [filters["periods"]] if "periods" in filters else []
    chosen: BoardFilter = BOARD_TYPES[kind].form(data, agents, lengths).chosen()
    return chosen


def as_query(filters: dict[str, Any]) -> QueryDict:
    data = QueryDict(mutable=True)
    for name, value in filters.items():
        data.setlist(name, [str(one) for one in value] if isinstance(value, list) else [str(value)])
    return data


def describe(kind: str, filters: dict[str, Any]) -> list[str]:
    """The filters in a few words each. Most defaults are not mentioned."""
    chosen = from_json(kind, filters)
    words = BOARD_TYPES[kind].describe(chosen)
    if chosen.rows != type(chosen)().rows:
        words.append(", ".join(label.lower() for row, label in ROW_LABELS.items() if row in chosen.rows))
    if chosen.tag:
        words.append("one tag")
    if chosen.agents:
        words.append(f"{counted(len(chosen.agents), 'agent,agents')} chosen")
    if chosen.start or chosen.end:
        since, until = (day and f"{day.day} {day:%b %Y}" for day in (chosen.start, chosen.end))
        words.append(f"launched {since} to {until}" if since and until else f"from {since}" if since else f"to {until}")
    return words
