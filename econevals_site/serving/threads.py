"""Django's ASGI handler with threads that are kept, and with each thread its database connection.

Django itself starts a thread for each request. A new thread opens SQLite anew, which costs 3 ms of CPU.
"""

from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from asgiref.sync import ThreadSensitiveContext, sync_to_async
from django.core.handlers.asgi import ASGIHandler
from django.db import connections
from django.http import HttpRequest
from django.http.response import HttpResponseBase

MOST_IDLE = 8
"""Threads that are kept. More requests at once get threads of their own, so a slow client delays nobody."""


class ThreadKeepingHandler(ASGIHandler):
    """Calls middleware and view of a request in one thread. All views are synchronous."""

    def __init__(self) -> None:
        # ASGIHandler itself loads the middleware for asynchronous views.
        super(ASGIHandler, self).__init__()
        self.load_middleware(is_async=False)
        self._idle: list[ThreadPoolExecutor] = []

    async def __call__(
        self, scope: Any, receive: Callable[[], Awaitable[Any]], send: Callable[[Any], Awaitable[None]]
    ) -> None:
        thread = self._idle.pop() if self._idle else ThreadPoolExecutor(max_workers=1, thread_name_prefix="request")
        try:
            async with ThreadSensitiveContext(executor=thread):
                await self.handle(scope, receive, send)
        finally:
            if len(self._idle) < MOST_IDLE:
                self._idle.append(thread)
            else:
                # Otherwise its connection stays open until the garbage collector finds it.
                thread.submit(connections.close_all)
                thread.shutdown(wait=False)

    async def get_response_async(self, request: HttpRequest) -> HttpResponseBase:
        return await sync_to_async(self.get_response)(request)
