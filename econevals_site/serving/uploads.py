"""Middleware that accepts large bodies only from signed-in people, only at the import page, and only a few at once.

Django writes a body to a file before it calls a view, so without this any visitor could fill the disk.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from asgiref.sync import sync_to_async
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.db import connection
from django.http import parse_cookie

from econevals_site.serving.bodies import MIB, Message, Receive, Send, TooLarge
from infrastructure.limits import Slot, Slots

IMPORT = "/experiments/import/"
FORM_BYTES = 3 * MIB
UPLOADS_AT_ONCE = 2
TOO_MANY = b"Two archives of yours are arriving already. Wait until one has arrived, then try again."


class TooManyUploads(Exception):
    pass


class Uploads:
    """Raises TooLarge for any other large body, and answers 429 to a person's third upload at once."""

    def __init__(self, application: Any):
        self.application = application
        self._arriving = Slots(UPLOADS_AT_ONCE)

    async def __call__(self, scope: Message, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        received = 0
        slot: Slot | None = None

        async def counted() -> Message:
            nonlocal received, slot
            message = await receive()
            received += len(message.get("body", b""))
            if received > FORM_BYTES and slot is None:
                slot = await self._admit(scope)
            return message

        try:
            await self.application(scope, counted, send)
        except TooManyUploads:
            headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"connection", b"close")]
            await send({"type": "http.response.start", "status": 429, "headers": [*headers, (b"retry-after", b"60")]})
            await send({"type": "http.response.body", "body": TOO_MANY})
        finally:
            if slot is not None:
                slot.release()

    async def _admit(self, scope: Message) -> Slot:
        person = None
        if scope["path"] == IMPORT:
            person = await sync_to_async(_signed_in, thread_sensitive=False)(scope["headers"])
        if person is None:
            raise TooLarge
        slot = self._arriving.take(person)
        if slot is None:
            raise TooManyUploads
        return slot


def _signed_in(headers: list[tuple[bytes, bytes]]) -> str | None:
    """The user id in the session of the cookie, None without a session."""
    cookies = parse_cookie("; ".join(value.decode("latin1") for name, value in headers if name == b"cookie"))
    store = import_module(settings.SESSION_ENGINE).SessionStore(cookies.get(settings.SESSION_COOKIE_NAME))
    try:
        person: str | None = store.get(SESSION_KEY)
        return person
    finally:
        connection.close()
