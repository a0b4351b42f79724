"""Middleware that refuses large request bodies before they are read.

Django writes a body to a file before it calls a view, so without this any visitor could fill the disk.
"""

from collections.abc import Awaitable, Callable, MutableMapping
from importlib import import_module
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import connection
from django.http import parse_cookie

from infrastructure.limits import Slot, Slots

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

MIB = 1024 * 1024
API, MOST_IN_API = ("/api/", "/mcp"), MIB
IMPORT, UPLOADS_AT_ONCE = "/experiments/import/", 2
FORM_BYTES = 3 * MIB
"""Limit for forms. Larger bodies are accepted only from signed-in people, at the import page, and a few at a time."""

MOST_BYTES = 65 * MIB
"""Limit in bytes outside of the API: the size of an import form with the largest archive."""

MOST_THROWN_AWAY = 1024 * MIB
BODY_HEADERS = (b"content-length", b"content-type", b"transfer-encoding")
REFUSED = "econevals.body_refused"
"""Key in the ASGI scope of a request whose body was removed before it reached Django."""

JSON, TEXT = (b"content-type", b"application/json"), (b"content-type", b"text/plain; charset=utf-8")
TOO_LARGE = 413, [TEXT], b"The request is too large: it has at most 65 MiB."
ERROR = b'{"error": {"code": "too_large", "message": "A request body has at most 1 MiB.", "fields": {}}}'
TOO_LARGE_IN_API = 413, [JSON], ERROR
WAIT = b"Two archives of yours are arriving already. Wait until one has arrived, then try again."
TOO_MANY = 429, [TEXT, (b"retry-after", b"60")], WAIT


class BodyRefused(Exception):
    """The body exceeds a limit. The arguments are status, headers and body of the response."""


class BodyLimit:
    """Responds 413 if the declared or received length exceeds the limit, and 429 to a person's third concurrent upload.

    A browser gets a page of the site, which Django renders without the body. The body is read and discarded, up to
    MOST_THROWN_AWAY bytes, because a browser shows the response only after it has sent everything.
    """

    def __init__(self, application: Any):
        self.application = application
        self._arriving = Slots(UPLOADS_AT_ONCE)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        in_api = scope["path"].startswith(API)
        most, answer = (MOST_IN_API, TOO_LARGE_IN_API) if in_api else (MOST_BYTES, TOO_LARGE)
        lengths = [value for name, value in scope["headers"] if name == b"content-length"]
        if any(not value.isdigit() or len(value) > 18 or int(value) > most for value in lengths):
            if in_api or not _is_from_browser(scope, lengths):
                await _refuse(send, *answer)
                return
            headers = [(name, value) for name, value in scope["headers"] if name not in BODY_HEADERS]
            await self.application({**scope, "headers": headers, REFUSED: True}, _discarded(receive), send)
            return
        received = 0
        slot: Slot | None = None

        async def counted() -> Message:
            nonlocal received, slot
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                raise BodyRefused(*answer)
            if received > FORM_BYTES and slot is None:
                slot = await self._admitted(scope)
            return message

        try:
            await self.application(scope, counted, send)
        except BodyRefused as refused:
            await _refuse(send, *refused.args)
        finally:
            if slot is not None:
                slot.release()

    async def _admitted(self, scope: Message) -> Slot:
        signed_in_person = sync_to_async(signed_in, thread_sensitive=False)
        person = await signed_in_person(scope["headers"]) if scope["path"] == IMPORT else None
        if person is None:
            raise BodyRefused(*TOO_LARGE)
        slot = self._arriving.take(person)
        if slot is None:
            raise BodyRefused(*TOO_MANY)
        return slot


def signed_in(headers: list[tuple[bytes, bytes]]) -> str | None:
    """Return the user id in the session that the cookie names; None without a session."""
    cookies = parse_cookie("; ".join(value.decode("latin1") for name, value in headers if name == b"cookie"))
    store = import_module(settings.SESSION_ENGINE).SessionStore(cookies.get(settings.SESSION_COOKIE_NAME))
    try:
        person: str | None = store.get(SESSION_KEY)
        return person
    finally:
        connection.close()


def _is_from_browser(scope: Message, lengths: list[bytes]) -> bool:
    wants_page = any(name == b"accept" and b"text/html" in value for name, value in scope["headers"])
    return wants_page and all(
        len(value) < 18 and value.isdigit() and int(value) <= MOST_THROWN_AWAY for value in lengths
    )


def _discarded(receive: Receive) -> Receive:
    """Return a `receive` that gives an empty body. Its next call discards the real body and waits for the disconnect."""
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


async def _refuse(send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes) -> None:
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": body})
