"""An ASGI handler that runs each request in one call to a thread.

The threads keep their database connections. Django's own handler starts a thread for each request
and calls it three times. A new thread opens SQLite anew, and each call switches from the event loop
to the thread and back. With Django's handler the log-in page costs 12.3 ms of CPU instead of 4.6,
and /health 1.2 ms instead of 0.3 (`python -m benchmarks web_servers ours handler`, 64 concurrent
connections).
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
"""Number of idle threads that are kept. Further requests get new threads, so that a slow client delays nobody."""

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]


class ThreadKeepingHandler(ASGIHandler):
    """Calls the middleware and the view of a request in one thread. All views of the site are synchronous."""

    def __init__(self) -> None:
        # The initializer of ASGIHandler is skipped, because it loads the middleware for asynchronous views.
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
                # A copy of the context keeps values that one request sets from the next request in the thread.
                work = partial(copy_context().run, self._respond, scope, body)
                response = await get_running_loop().run_in_executor(thread, work)
                if response.streaming:
                    await self._stream(response, receive, send, thread)
            finally:
                self._keep(thread)
            if not response.streaming:
                await self.send_response(response, send)

    def _respond(self, scope: Any, body: IO[bytes]) -> Any:
        """Return the response to a request. It is closed, unless it is streaming."""
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
        """Send a streaming response, whose parts are made in the thread. Stops early if the client disconnects."""
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
            # Otherwise the thread's database connection would stay open until the garbage collector finds it.
            thread.submit(connections.close_all)
            thread.shutdown(wait=False)
