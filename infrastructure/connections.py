"""Returns database connections to the pool before a thread waits for the network.

A process has at most POOL_SIZE PostgreSQL sessions. No thread keeps one while it waits for a slow client, a model, an
identity provider or a mail server.
"""

from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse


def let_go_of_connection() -> None:
    """Call this before waiting. It does nothing on SQLite, which has no pool, and inside a transaction."""
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        connection.close()


def release_connection(get_response: Callable[[HttpRequest], HttpResponse]) -> Callable[[HttpRequest], HttpResponse]:
    """Outermost middleware that releases the connection before the response is sent.

    Django closes it only after the last byte, which a client that does not read delays for ever. Streamed responses ask
    for a connection themselves.
    """

    def respond(request: HttpRequest) -> HttpResponse:
        response = get_response(request)
        let_go_of_connection()
        return response

    return respond
