"""Filters as JSON and back. They are read through the form of the page, so a new filter is a field there and one in its
dataclass, and whatever is stored is as valid as what is typed into the address bar.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields
from datetime import date
from typing import Any

from django.http import QueryDict

from analysis.benchmark.filters import TableFilter, environment_title, variant_choices
from analysis.benchmark.forms import ROW_LABELS, FilterForm
from analysis.litmus.filters import SCOPES, LitmusFilter
from analysis.litmus.forms import LitmusForm
from analysis.models import BoardKind
from environments.generation import GENERATORS
from infrastructure.text.formats import lowfirst

AnyFilter = TableFilter | LitmusFilter
AnyForm = FilterForm | LitmusForm

VIEW = ("sort", "chart", "agent", "seed")
"""What a reader of the page chooses for himself; of these only the order of rows is kept with the leaderboard."""


def form_of(kind: str, data: QueryDict, lengths: Iterable[int] = (), agents: Iterable[tuple[str, str]] = ()) -> AnyForm:
    return LitmusForm(data, agents) if kind == BoardKind.LITMUS else FilterForm(data, lengths, agents)


def filter_of(form: AnyForm) -> AnyFilter:
    return form.litmus_filter() if isinstance(form, LitmusForm) else form.table_filter()


def freeze(chosen: AnyFilter) -> dict[str, Any]:
    """Every value, also those that are as by default today: a default may change, what was saved may not."""
    kept = {part.name: getattr(chosen, part.name) for part in fields(chosen) if part.name not in VIEW[1:]}
    return {name: _plain(value) for name, value in kept.items() if value not in (None, "", (), 0)}


def thaw(kind: str, filters: dict[str, Any], view: QueryDict | None = None) -> AnyFilter:
    """The filter of stored JSON; `view` is the address's query, of which only VIEW counts."""
    return filter_of(stored_form(kind, filters, view))


def stored_form(
    kind: str, filters: dict[str, Any], view: QueryDict | None = None, agents: Iterable[tuple[str, str]] = ()
) -> AnyForm:
    """The page's form filled with stored JSON. Lengths and agents that were stored are known, also without a run."""
    data = as_query(filters)
    for name in VIEW if view is not None else ():
        if view.get(name):
            data[name] = view[name]
    known = dict(agents)
    choices = [*known.items(), *((slug, slug) for slug in filters.get("agents", ()) if slug not in known)]
    return form_of(kind, data, [filters[name] for name in ("periods",) if name in filters], choices)


def as_query(filters: dict[str, Any]) -> QueryDict:
    data = QueryDict(mutable=True)
    for name, value in filters.items():
        data.setlist(name, [str(one) for one in value] if isinstance(value, list) else [str(value)])
    return data


def in_words(kind: str, filters: dict[str, Any]) -> list[str]:
    """What is shown, in a few words each; what is as usual goes without saying."""
    chosen = thaw(kind, filters)
    words = _litmus_words(chosen) if isinstance(chosen, LitmusFilter) else _table_words(chosen)
    if chosen.rows != type(chosen)().rows:
        words.append(", ".join(label.lower() for row, label in ROW_LABELS.items() if row in chosen.rows))
    if chosen.tag:
        words.append("one tag")
    if chosen.agents:
        words.append(f"{len(chosen.agents)} {'agent' if len(chosen.agents) == 1 else 'agents'} chosen")
    if chosen.start or chosen.end:
        since, until = (day and f"{day.day} {day:%b %Y}" for day in (chosen.start, chosen.end))
        words.append(f"launched {since} to {until}" if since and until else f"from {since}" if since else f"to {until}")
    return words


def _table_words(chosen: TableFilter) -> list[str]:
    whole = TableFilter()
    environments = ", ".join(map(environment_title, chosen.environments))
    words = ["all environments" if chosen.environments == whole.environments else environments]
    words.append("all difficulties" if chosen.difficulties == whole.difficulties else ", ".join(chosen.difficulties))
    if chosen.generator != whole.generator:
        words.append(f"generator {GENERATORS[chosen.generator]}")
    if chosen.variant != whole.variant:
        words.append(f"prompt {dict(variant_choices())[chosen.variant]}")
    if chosen.periods != whole.periods:
        words.append(f"{chosen.periods:,} periods")
    return words


def _litmus_words(chosen: LitmusFilter) -> list[str]:
    words = ["one experiment"] if chosen.experiment else [lowfirst(SCOPES[chosen.scope])]
    if chosen.generator != LitmusFilter().generator:
        words.append(f"generator {GENERATORS[chosen.generator]}")
    return words


def _plain(value: Any) -> Any:
    if isinstance(value, date):
        return value.isoformat()
    return [str(one) for one in value] if isinstance(value, tuple) else value
