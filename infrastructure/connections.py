"""Limits how many requests of a process compute at once, and returns database connections before a wait for the network.

A process has at most POOL_SIZE PostgreSQL sessions. No thread keeps one while it waits for a slow client, a model, an
identity provider or a mail server.
"""

import threading
from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse

HAS_POOL = connection.vendor == "postgresql"

TURNS = 2 if HAS_POOL else 1
"""Requests that compute at once. Python runs one thread at a time, so more would only delay each other.

PostgreSQL computes in a process of its own, so another request can go on meanwhile.
"""

LONGEST_WAIT = 0.5
"""Seconds after which a request goes on without a turn, so that those with a turn cannot stop it."""

_turns = threading.BoundedSemaphore(TURNS)
_thread = threading.local()


def let_go_of_connection() -> None:
    """Call this before waiting. It ends the turn of a request, and returns the connection unless in a transaction.

    SQLite has no pool, so its connection stays with the thread.
    """
    if getattr(_thread, "has_turn", False):
        _thread.has_turn = False
        _turns.release()
    if HAS_POOL and not connection.in_atomic_block:
        connection.close()


def release_connection(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Outermost middleware that waits for a turn, and ends it and releases the connection before the response is sent.

    Django closes it only after the last byte, which a client that does not read delays for ever. Streamed responses ask
    for a connection themselves.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        _thread.has_turn = _turns.acquire(timeout=LONGEST_WAIT)
        try:
            return get_response(request)
        finally:
            let_go_of_connection()
            if request.resolver_match:
                # Hundreds of lists, which would stay until the collector finds the request.
                request.resolver_match.tried = None

    return respond
