"""Filters as JSON. Stored JSON is read through the form of the page, so it is as valid as a query string."""

from dataclasses import fields
from datetime import date
from typing import Any

from django.http import QueryDict

from analysis.base.filters import BoardFilter
from analysis.forms import designs_in, prompts_in
from analysis.kinds import BOARD_TYPES

VIEW = ("sort", "chart", "agent", "seed")
"""Choices of a reader of the page. Only the sort order is stored with the leaderboard."""


def to_json(board_filter: BoardFilter) -> dict[str, Any]:
    """Every value, defaults included: a default may change, a saved leaderboard may not."""
    values = {part.name: getattr(board_filter, part.name) for part in fields(board_filter) if part.name not in VIEW[1:]}
    plain = {
        name: list(map(str, value)) if isinstance(value, tuple) else str(value) if isinstance(value, date) else value
        for name, value in values.items()
    }
    return {name: value for name, value in plain.items() if value not in (None, "", [], 0)}


def from_json(kind: str, filters: dict[str, Any], view: QueryDict | None = None) -> BoardFilter:
    """The filter of stored JSON. `view` is a query string, of which only VIEW counts.

    Stored agents, lengths, designs and own prompts are valid choices, even without a run.
    """
    data = as_query(filters)
    for name in VIEW:
        if view is not None and (value := view.get(name)):
            data.setlist(name, [value])
    agents = [(slug, slug) for slug in filters.get("agents", ())]
    lengths = [filters["periods"]] if "periods" in filters else []
    extra_choices = (designs_in(filters), prompts_in(filters))
    board_filter: BoardFilter = BOARD_TYPES[kind].form(data, agents, lengths, *extra_choices).to_filter()
    return board_filter


def as_query(filters: dict[str, Any]) -> QueryDict:
    data = QueryDict(mutable=True)
    for name, value in filters.items():
        data.setlist(name, [str(entry) for entry in value] if isinstance(value, list) else [str(value)])
    return data
