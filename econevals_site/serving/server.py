"""HTTP connections of the web process, with deadlines for slow clients.

Without deadlines a slow client would hold a thread, a file or memory for ever. Its connection is aborted instead of
closed, because a graceful close waits until the client has read everything.

WSGI servers lack most of these deadlines (`python -m benchmarks web_servers`). After 40 seconds,
waitress was still connected to all clients that send a head, a body or trailers one byte at a time,
and to all that read nothing. granian had disconnected clients with slow heads and trailers. It was
still connected to all clients with slow bodies, each in one of its threads, and to all that read
nothing. Neither server limits the number of connections from an address.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

KIB = 1024
HEAD_SECONDS = 10.0
"""Deadline for the head of a request. It starts with the connection, or with the first byte after a response."""

MOST_HEAD = 64 * KIB
"""Limit in bytes for a head, and for the parts of a body that are not content, such as trailers."""

BODY_SECONDS = 20.0
BODY_BYTES = 64 * KIB
"""Until a body is complete, BODY_BYTES of it must arrive in each BODY_SECONDS. This is a rate of 3.2 KiB/s."""

TAKE_SECONDS = 20.0
"""Deadline for the client to read a part of a response, which has at most 64 KiB. This is a rate of 3.2 KiB/s."""

MOST_PER_ADDRESS = 128
TOO_MANY = b"Too many connections are open from this address.\n"
REFUSAL = (
    b"HTTP/1.1 429 Too Many Requests\r\nContent-Type: text/plain; charset=utf-8\r\nRetry-After: 20\r\n"
    b"Connection: close\r\nContent-Length: %d\r\n\r\n%s" % (len(TOO_MANY), TOO_MANY)
)


class DeadlineProtocol(HttpToolsProtocol):
    """uvicorn's protocol with a deadline for each wait on the client."""

    behind_proxies: ClassVar[bool] = False
    """Whether connections come from proxies. If so, the number of connections from an address is
    not limited, because all clients share the addresses of the proxies."""

    _open: ClassVar[Counter[str]] = Counter()

    def __init__(self, *args: Any, **options: Any):
        super().__init__(*args, **options)
        self._timers: dict[str, asyncio.TimerHandle] = {}
        self._not_content = 0  # bytes since the last complete head or part of a body
        self._arrived = 0  # bytes of the body since its deadline was set

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        # Any unsent byte starts the deadline. With a higher limit, the last part of a response could wait for ever.
        transport.set_write_buffer_limits(high=0)
        self._set("head", HEAD_SECONDS, transport.abort)
        address = self.client[0] if self.client else ""
        self._open[address] += 1
        if self._open[address] > MOST_PER_ADDRESS and not self.behind_proxies:
            transport.write(REFUSAL)
            transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        for name in list(self._timers):
            self._unset(name)
        address = self.client[0] if self.client else ""
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        is_idle = self.cycle is None or self.cycle.response_complete
        if is_idle and not self._timers.keys() & {"head", "body"}:
            self._set("head", HEAD_SECONDS, self.transport.abort)
        self._not_content += len(data)
        super().data_received(data)
        if self._not_content > MOST_HEAD:
            self.transport.abort()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a header, but drop trailers: they would become headers after the head was checked."""
        if "body" not in self._timers:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._unset("head")
        self._not_content = self._arrived = 0
        super().on_headers_complete()
        self._set("body", BODY_SECONDS, self._check_body)

    def on_body(self, body: bytes) -> None:
        self._not_content = 0
        self._arrived += len(body)
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._unset("body")
        super().on_message_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._set("take", TAKE_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        self._unset("take")
        super().resume_writing()

    def _check_body(self) -> None:
        """Abort the connection if the body arrives too slowly, unless the server paused reading."""
        if self._arrived < BODY_BYTES and not self.flow.read_paused:
            self.transport.abort()
            return
        self._arrived = 0
        self._set("body", BODY_SECONDS, self._check_body)

    def _set(self, name: str, seconds: float, act: Callable[[], None]) -> None:
        self._unset(name)
        self._timers[name] = self.loop.call_later(seconds, act)

    def _unset(self, name: str) -> None:
        if timer := self._timers.pop(name, None):
            timer.cancel()
