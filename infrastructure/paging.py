"""Pagination, and the number of rows per page for each kind of list."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from django.core.paginator import Page, Paginator
from django.db.models import QuerySet

Row = TypeVar("Row")
PageNumber = str | int | None
"""A page number as typed in an address. If there is no such page, the nearest one is shown."""

SHORT_PAGE = 10  # lists beside other content
LIST_PAGE = 25  # lists with several lines a row
TABLE_PAGE = 50  # tables with one line a row
LONG_PAGE = 100  # tables that readers scan as a whole


def paged(
    rows: QuerySet[Any, Any] | Sequence[Any], size: int, number: PageNumber, shape: Callable[[Any], Row]
) -> Page[Row]:
    """Return one page of the rows, with `shape` applied to each row."""
    page: Page[Any] = Paginator(rows, size).get_page(number)
    page.object_list = [shape(row) for row in page.object_list]
    return page
