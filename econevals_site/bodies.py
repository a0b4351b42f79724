"""Large request bodies are refused before they are read: Django would first write them to disk, however long they are."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MOST_BYTES = {"/api/": 1024 * 1024}
"""By the beginning of the address; elsewhere Django's own limits hold."""

ANSWER = b'{"error": {"code": "too_large", "message": "A request body has at most 1 MiB.", "fields": {}}}'


class TooLarge(Exception):
    """More came than is taken."""


class BodyLimit:
    """413 where the length that is told, or what has come without one, is beyond the limit of the address."""

    def __init__(self, application: Any):
        self.application = application

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        most = self._most(scope)
        if most is None:
            return await self.application(scope, receive, send)
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        if any(not value.isdigit() or len(value) > 18 or int(value) > most for value in lengths):
            return await _refuse(send)
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
            await _refuse(send)

    def _most(self, scope: Message) -> int | None:
        if scope["type"] != "http":
            return None
        return next((most for start, most in MOST_BYTES.items() if scope["path"].startswith(start)), None)


async def _refuse(send: Send) -> None:
    headers = [(b"content-type", b"application/json"), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": ANSWER})
