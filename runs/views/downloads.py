"""Files that are sent while they are made, however long they are."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, StreamingHttpResponse

from accounts.models import Membership
from runs.exporting.cells import csv_cell

LINES_AT_ONCE = 500
NANO_DIGITS = 9
PART_SIZE = 64 * 1024
"""Bytes that are sent at once, about as many as wait in the server for a slow reader."""

CHECK_SECONDS = 0.5
"""How long a download goes on at most between two looks at whether its reader is still a member."""


MayRead = Callable[[], bool]


class NoLongerAMember(Exception):
    """Ends a download in the middle, so that nobody takes what arrived for the whole file."""


def download(
    request: HttpRequest, name: str, content_type: str, parts: Iterable[bytes], may_read: MayRead | None = None
) -> StreamingHttpResponse:
    """A file to keep. Whoever is removed from the organization gets no further part within a second.

    may_read: asked while the file is sent, where something else than the request's membership lets in
    """
    watched = _while_let_in(may_read or _is_member(request.membership), _blocks(parts))
    content = _from_thread(watched) if isinstance(request, ASGIRequest) else watched
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"}
    return StreamingHttpResponse(content, content_type=content_type, headers=headers)


def text_download(
    request: HttpRequest, name: str, content_type: str, lines: Iterable[str], may_read: MayRead | None = None
) -> StreamingHttpResponse:
    return download(request, name, f"{content_type}; charset=utf-8", (line.encode() for line in lines), may_read)


def csv_download(
    request: HttpRequest, name: str, heading: Sequence[str], rows: Iterable[Sequence[Any]]
) -> StreamingHttpResponse:
    """A CSV file; text that a spreadsheet would take for a formula is marked as text."""
    return text_download(request, name, "text/csv", _csv_blocks(chain([heading], rows)))


def usd(nano: int) -> str:
    """Billionths of a dollar, exact, so that sums of a column agree with the page."""
    return f"{nano // 10**NANO_DIGITS}.{nano % 10**NANO_DIGITS:0{NANO_DIGITS}d}"


def _csv_blocks(rows: Iterator[Sequence[Any]]) -> Iterator[str]:
    while block := list(islice(rows, LINES_AT_ONCE)):
        text = io.StringIO()
        csv.writer(text).writerows([csv_cell(value) for value in row] for row in block)
        yield text.getvalue()


def _blocks(parts: Iterable[bytes]) -> Iterator[bytes]:
    """The same bytes in parts of about one size: a line a part would be slow, a long period at once would pile up."""
    waiting = bytearray()
    for part in parts:
        waiting += part
        while len(waiting) >= PART_SIZE:
            yield bytes(waiting[:PART_SIZE])
            del waiting[:PART_SIZE]
    if waiting:
        yield bytes(waiting)


def _is_member(membership: Membership) -> MayRead:
    return Membership.objects.filter(pk=membership.pk, user__is_active=True).exists


def _while_let_in(may_read: MayRead, blocks: Iterator[bytes]) -> Iterator[bytes]:
    looked = time.monotonic()
    for block in blocks:
        if time.monotonic() - looked > CHECK_SECONDS:
            if not may_read():
                raise NoLongerAMember
            looked = time.monotonic()
        yield block


async def _from_thread(blocks: Iterator[bytes]) -> AsyncIterator[bytes]:
    """Read in the request's thread, so that the server's loop never waits for the database."""
    while (block := await sync_to_async(next)(blocks, None)) is not None:
        yield block
