"""Large request bodies are refused before they are read: Django would first write them to disk, however long they are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MIB = 1024 * 1024
API = "/api/"
MOST_IN_API = MIB
MOST_BYTES = 65 * MIB
"""Elsewhere: the largest archive that may be sent, and the form around it."""

TEXT = b"The request is too large."
JSON = b'{"error": {"code": "too_large", "message": "A request body has at most 1 MiB.", "fields": {}}}'


class TooLarge(Exception):
    """More came than is taken."""


class BodyLimit:
    """413 where the length that is told, or what has come without one, is beyond the limit of the address."""

    def __init__(self, application: Any):
        self.application = application

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self.application(scope, receive, send)
        in_api = scope["path"].startswith(API)
        most = MOST_IN_API if in_api else MOST_BYTES
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        if any(not value.isdigit() or len(value) > 18 or int(value) > most for value in lengths):
            return await _refuse(send, in_api)
        came = 0

        async def counted() -> Message:
            nonlocal came
            message = await receive()
            came += len(message.get("body", b""))
            if came > most:
                raise TooLarge
            return message

        try:
            await self.application(scope, counted, send)
        except TooLarge:
            await _refuse(send, in_api)


async def _refuse(send: Send, in_api: bool) -> None:
    content_type = b"application/json" if in_api else b"text/plain; charset=utf-8"
    headers = [(b"content-type", content_type), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": JSON if in_api else TEXT})
