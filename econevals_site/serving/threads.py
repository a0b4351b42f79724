"""Django's ASGI handler with one call to a thread for each request, and threads that keep their database connections.

Django itself starts a thread for each request and calls it three times. A new thread opens SQLite anew, and each call
switches from the event loop to the thread and back. The log-in page then costs 12.3 ms of CPU instead of 4.6, and /health 1.2
instead of 0.3 (`python -m benchmarks web_servers ours handler`, 64 connections at once).
"""

import asyncio
from asyncio import get_running_loop
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from contextvars import copy_context
from functools import partial
from typing import IO, Any

from asgiref.sync import ThreadSensitiveContext
from django.core.exceptions import RequestAborted
from django.core.handlers.asgi import ASGIHandler, get_script_prefix
from django.core.signals import request_started
from django.db import connections
from django.http.response import FileResponse, HttpResponseBase
from django.urls import set_script_prefix

MOST_IDLE = 8
"""Threads that are kept. More requests at once get threads of their own, so a slow client delays nobody."""

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class ThreadKeepingHandler(ASGIHandler):
    """Calls middleware and view of a request in one thread. All views are synchronous."""

    def __init__(self) -> None:
        # ASGIHandler itself loads the middleware for asynchronous views.
        super(ASGIHandler, self).__init__()
        self.load_middleware(is_async=False)
        self._idle: list[ThreadPoolExecutor] = []

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        try:
            body = await self.read_body(receive)
        except RequestAborted:
            return
        with closing(body):
            thread = self._idle.pop() if self._idle else ThreadPoolExecutor(1, thread_name_prefix="request")
            try:
                # In a copy of the context, so that nothing a request sets there is left for the next one in the thread.
                work = partial(copy_context().run, self._respond, scope, body)
                response = await get_running_loop().run_in_executor(thread, work)
                if response.streaming:
                    await self._stream(response, receive, send, thread)
            finally:
                self._keep(thread)
            if not response.streaming:
                await self.send_response(response, send)

    def _respond(self, scope: Any, body: IO[bytes]) -> Any:
        """The response to a request, closed unless its parts are still to be made."""
        set_script_prefix(get_script_prefix(scope))
        request_started.send(sender=type(self), scope=scope)
        request, refusal = self.create_request(scope, body)
        response: Any = refusal if request is None else self.get_response(request)
        response._handler_class = type(self)
        if isinstance(response, FileResponse):
            response.block_size = self.chunk_size
        if not response.streaming:
            response.close()
        return response

    async def _stream(
        self, response: HttpResponseBase, receive: Receive, send: Send, thread: ThreadPoolExecutor
    ) -> None:
        """Send parts made in the thread, until the last one or until the client has gone."""
        async with ThreadSensitiveContext(executor=thread):
            sending = asyncio.create_task(self.send_response(response, send))
            leaving = asyncio.create_task(self.listen_for_disconnect(receive))
            try:
                await asyncio.wait((sending, leaving), return_when=asyncio.FIRST_COMPLETED)
            finally:
                sending.cancel()
                leaving.cancel()
                errors = await asyncio.gather(sending, leaving, return_exceptions=True)
                await get_running_loop().run_in_executor(thread, response.close)
            if isinstance(errors[0], Exception):
                raise errors[0]

    def _keep(self, thread: ThreadPoolExecutor) -> None:
        if len(self._idle) < MOST_IDLE:
            self._idle.append(thread)
        else:
            # Otherwise its connection stays open until the garbage collector finds it.
            thread.submit(connections.close_all)
            thread.shutdown(wait=False)
