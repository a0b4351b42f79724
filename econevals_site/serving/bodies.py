"""Middleware that refuses large request bodies before they are read. Django would first write them to disk."""

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
"""The limit outside of the API: the largest archive of an upload and the form around it."""

MOST_THROWN_AWAY = 1024 * MIB
TEXT = b"The request is too large: it has at most 65 MiB."
JSON = b'{"error": {"code": "too_large", "message": "A request body has at most 1 MiB.", "fields": {}}}'

OF_THE_BODY = (b"content-length", b"content-type", b"transfer-encoding")
REFUSED = "econevals.body_refused"
"""A key in the scope of a request that reaches Django without its body."""


class TooLarge(Exception):
    """The body exceeds the limit."""


class BodyLimit:
    """Answers 413 if the declared or the received length exceeds the limit of the address.

    A browser gets a page of the site, which Django renders without the body. The body is read and discarded, up to
    MOST_THROWN_AWAY, because a browser shows an answer only after it has sent everything.
    """

    def __init__(self, application: Any):
        self.application = application

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        in_api = scope["path"].startswith(API)
        most = MOST_IN_API if in_api else MOST_BYTES
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        if any(not value.isdigit() or len(value) > 18 or int(value) > most for value in lengths):
            if not in_api and _is_from_browser(scope, lengths):
                await self.application(_without_body(scope), _discarded(receive), send)
            else:
                await _refuse(send, in_api)
            return
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise TooLarge
            return message

        try:
            await self.application(scope, counted, send)
        except TooLarge:
            await _refuse(send, in_api)


def _is_from_browser(scope: Message, lengths: list[bytes]) -> bool:
    wants_page = any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])
    return wants_page and all(
        len(value) < 18 and value.isdigit() and int(value) <= MOST_THROWN_AWAY for value in lengths
    )


def _without_body(scope: Message) -> Message:
    headers = [(name, value) for name, value in scope["headers"] if name not in OF_THE_BODY]
    return {**scope, "headers": headers, REFUSED: True}


def _discarded(receive: Receive) -> Receive:
    """Receives an empty body, and later the message that the client has disconnected."""
    answered = False

    async def nothing() -> Message:
        nonlocal answered
        if not answered:
            answered = True
            return {"type": "http.request", "body": b"", "more_body": False}
        while (message := await receive())["type"] == "http.request":
            pass
        return message

    return nothing


async def _refuse(send: Send, in_api: bool) -> None:
    content_type = b"application/json" if in_api else b"text/plain; charset=utf-8"
    headers = [(b"content-type", content_type), (b"connection", b"close")]
    await send({"type": "http.response.start", "status": 413, "headers": headers})
    await send({"type": "http.response.body", "body": JSON if in_api else TEXT})
