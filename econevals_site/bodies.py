"""How much a request may carry. Django reads a body whole before any view can refuse it, so this stands before Django."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

MAX_BODY = 65 * 1024 * 1024
"""Bytes: the largest archive that may be sent, and the form around it."""

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

TEXT = b"The request is too large."


class LimitedBodies:
    """413 at once for a request that says it is longer; the end of the connection for one that is without saying so."""

    def __init__(self, app: App):
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.app(scope, receive, send)
        declared = dict(scope["headers"]).get(b"content-length", b"")
        if declared.isdigit() and int(declared) > MAX_BODY:
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": 413, "headers": headers})
            return await send({"type": "http.response.body", "body": TEXT})
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            return {"type": "http.disconnect"} if received > MAX_BODY else message

        await self.app(scope, counted, send)
