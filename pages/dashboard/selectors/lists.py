"""What lists of rows share: their order, and the words to find."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from django.db.models import F, Q, QuerySet
from django.db.models.expressions import OrderBy

MOST_WORDS = 8

Rows = TypeVar("Rows", bound=QuerySet[Any])


def order_of(sort: str, sorts: Mapping[str, Sequence[str]], default: str) -> list[OrderBy]:
    """The order of rows; rows without a value come last.

    sort: a key of `sorts`, with '-' for descending; `default` stands for any other key
    """
    columns = map(F, sorts.get(sort.removeprefix("-"), sorts[default]))
    return [column.desc(nulls_last=True) if sort.startswith("-") else column.asc(nulls_last=True) for column in columns]


def with_words(rows: Rows, text: str, condition: Callable[[str], Q]) -> Rows:
    """The rows for which every word of the text meets the condition."""
    for word in text.split()[:MOST_WORDS]:
        rows = rows.filter(condition(word))
    return rows
