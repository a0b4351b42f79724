"""Streamed downloads of any length."""

import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, islice
from typing import Any

from asgiref.sync import sync_to_async
from django.core.handlers.asgi import ASGIRequest
from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase

from accounts.models import Membership
from accounts.pages.requests import MemberRequest
from accounts.views.errors import too_many
from infrastructure.limits import Slot, Slots
from infrastructure.text.csv_cells import byte_order_mark, csv_text
from infrastructure.transactions import let_go_of_connection

LINES_AT_ONCE = 500
NANO_DIGITS = 9
PART_SIZE = 64 * 1024
"""Bytes sent at once. The server buffers about as much for a slow reader."""

CHECK_SECONDS = 0.5
"""Seconds after which the next block of a download needs a new check that the reader is still a member."""

DOWNLOADS_AT_ONCE = 4
TOO_MANY = f"{DOWNLOADS_AT_ONCE} downloads of yours are running. Wait until one has ended, then try again."

_running = Slots(DOWNLOADS_AT_ONCE)


@dataclass(frozen=True)
class Reader:
    """A person who downloads. Downloads are counted by `name`; `may_read` tells whether the person still has access."""

    name: str
    may_read: Callable[[], bool]


class NoLongerAMember(Exception):
    """The reader lost access. The error aborts the response, so that nobody takes a truncated download for the file."""


def download(
    request: MemberRequest, name: str, content_type: str, parts: Iterable[bytes], reader: Reader | None = None
) -> HttpResponseBase:
    """Stream a file for the browser to save. Responds 429 while the reader has DOWNLOADS_AT_ONCE downloads running.

    A removed member gets no further part after at most a second. No database connection is held between two parts.
    reader: who downloads; by default the member who sent the request
    """
    if reader is None:
        member = Membership.objects.filter(pk=request.membership.pk, user__is_active=True)
        reader = Reader(f"user {request.membership.user_id}", member.exists)
    slot = _running.take(reader.name)
    if slot is None:
        return too_many(TOO_MANY, retry_seconds=30)
    # The server sends no body in response to HEAD, so the file need not be made.
    is_head = "HEAD" in (request.method, getattr(request, "sent_method", ""))
    blocks = _while_let_in(reader.may_read, _blocks(() if is_head else parts), slot)
    return StreamingHttpResponse(
        (_InThread if isinstance(request, ASGIRequest) else _Blocks)(blocks, slot),
        content_type=content_type,
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-store"},
    )


def text_download(
    request: MemberRequest, name: str, content_type: str, lines: Iterable[str], reader: Reader | None = None
) -> HttpResponseBase:
    marked = chain([byte_order_mark(request.GET, content_type)], lines)
    return download(request, name, f"{content_type}; charset=utf-8", (line.encode() for line in marked), reader)


def csv_download(
    request: MemberRequest, name: str, heading: Sequence[str], rows: Iterable[Sequence[Any]]
) -> HttpResponseBase:
    """Stream a CSV file. Cells that a spreadsheet would take for a formula are marked as text."""

    def lines() -> Iterator[str]:
        waiting = chain([heading], rows)
        while block := list(islice(waiting, LINES_AT_ONCE)):
            yield csv_text(block)

    return text_download(request, name, "text/csv", lines())


def usd(nano: int) -> str:
    """Format billionths of a dollar as exact dollars, so that the sum of a column agrees with the page."""
    return f"{nano // 10**NANO_DIGITS}.{nano % 10**NANO_DIGITS:0{NANO_DIGITS}d}"


def _blocks(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes in blocks of PART_SIZE. Sending single lines is slow; a long period at once fills memory."""
    waiting = bytearray()
    for part in parts:
        waiting += part
        while len(waiting) >= PART_SIZE:
            yield bytes(waiting[:PART_SIZE])
            del waiting[:PART_SIZE]
    if waiting:
        yield bytes(waiting)


def _while_let_in(may_read: Callable[[], bool], blocks: Iterator[bytes], slot: Slot) -> Iterator[bytes]:
    looked = time.monotonic()
    try:
        for block in blocks:
            if time.monotonic() - looked > CHECK_SECONDS:
                if not may_read():
                    raise NoLongerAMember
                looked = time.monotonic()
            yield block
    finally:
        slot.release()


class _Blocks:
    """Blocks of a response. Django calls `close` at its end, even if iteration never began, and this frees the slot."""

    def __init__(self, blocks: Iterator[bytes], slot: Slot):
        self._blocks, self._slot = blocks, slot

    def __iter__(self) -> Iterator[bytes]:
        return self._blocks

    def close(self) -> None:
        self._slot.release()


class _InThread(_Blocks):
    """Blocks for ASGI. Each is made in the request's thread, because the event loop must not wait for the database."""

    __iter__ = None  # type: ignore[assignment]

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while (block := await sync_to_async(self._next)()) is not None:
            yield block

    def _next(self) -> bytes | None:
        try:
            return next(self._blocks, None)
        finally:
            let_go_of_connection()
