"""Tables that are sent while they are read, however long they are."""

from __future__ import annotations

import csv
import io
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

from runs.exporting import csv_cell

LINES_AT_ONCE = 500


def csv_download(
    request: HttpRequest, name: str, heading: Sequence[str], rows: Iterable[Sequence[Any]]
) -> StreamingHttpResponse:
    """A CSV file; text that a spreadsheet would take for a formula is marked as text."""
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    content = streamed(request, _parts(chain([heading], rows)))
    return StreamingHttpResponse(content, content_type="text/csv; charset=utf-8", headers=headers)


def streamed(request: HttpRequest, parts: Iterator[str]) -> Iterator[str] | AsyncIterator[str]:
    """Parts of a file as the server that asks for them takes them."""
    return _from_thread(parts) if isinstance(request, ASGIRequest) else parts


def _parts(rows: Iterator[Sequence[Any]]) -> Iterator[str]:
    while block := list(islice(rows, LINES_AT_ONCE)):
        text = io.StringIO()
        csv.writer(text).writerows([csv_cell(value) for value in row] for row in block)
        yield text.getvalue()


async def _from_thread(parts: Iterator[str]) -> AsyncIterator[str]:
    """Read in the request's thread, so that the server's loop never waits for the database."""
    while (part := await sync_to_async(next)(parts, None)) is not None:
        yield part
