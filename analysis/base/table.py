"""Rows of a table: one per agent. Pure functions over plain records."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, TypeVar

AGENT = "agent"
"""The sort key of the agent's name."""


class Kind(StrEnum):
    """Source of a row: an LLM agent of the organization, a baseline, an imported log or the paper."""

    OWN = "own"
    BASELINE = "baseline"
    IMPORTED = "imported"
    PUBLISHED = "published"


SHOWN = tuple(kind for kind in Kind if kind != Kind.IMPORTED)
"""Rows shown by default. Imported runs count only on request, because they were played elsewhere."""


class _Player(Protocol):
    @property
    def is_baseline(self) -> bool: ...
    @property
    def is_imported(self) -> bool: ...


def kind_of(run: _Player) -> Kind:
    if run.is_imported:
        return Kind.IMPORTED
    return Kind.BASELINE if run.is_baseline else Kind.OWN


@dataclass(frozen=True)
class TableRow:
    """One agent. Published rows have no id and no slug."""

    name: str
    kind: Kind
    agent_id: int | None
    agent_slug: str


Item = TypeVar("Item")
Outer = TypeVar("Outer", bound=Hashable)
Inner = TypeVar("Inner", bound=Hashable)
RowType = TypeVar("RowType", bound=TableRow)


def grouped(
    items: Iterable[Item], outer: Callable[[Item], Outer], inner: Callable[[Item], Inner]
) -> dict[Outer, dict[Inner, list[Item]]]:
    """Items by row and column, in the order of their first appearance."""
    groups: dict[Outer, dict[Inner, list[Item]]] = defaultdict(lambda: defaultdict(list))
    for item in items:
        groups[outer(item)][inner(item)].append(item)
    return groups


def by_value(
    rows: Iterable[RowType],
    sort: str,
    value: Callable[[RowType], float | None],
    is_comparable: Callable[[RowType], bool] = lambda row: True,
) -> list[RowType]:
    """Rows by value, ties by name. Rows that are not comparable follow; rows without a value come last."""
    sign = -1 if sort.startswith("-") else 1

    def order(row: RowType) -> tuple[int, float, str]:
        found = value(row)
        return 2 if found is None else int(not is_comparable(row)), (found or 0.0) * sign, row.name.casefold()

    return sorted(rows, key=order)
