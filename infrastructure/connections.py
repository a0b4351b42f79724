"""When a database connection goes back to the pool.

A process has at most POOL_SIZE PostgreSQL sessions. No thread keeps one while it waits for somebody outside: a reader who
takes an answer, a model, an identity provider, a mail server.
"""

from __future__ import annotations

from collections.abc import Callable

from django.db import connection
from django.http import HttpRequest, HttpResponse


def let_go_of_connection() -> None:
    """To be called before waiting. On SQLite there is no pool; inside a transaction the connection is still needed."""
    if connection.vendor == "postgresql" and not connection.in_atomic_block:
        connection.close()


class ReleaseConnection:
    """The outermost middleware: the answer is complete, or is streamed in parts that ask for a connection themselves.

    Django closes the connection only after the last byte was sent, which a client that does not read delays for ever.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        let_go_of_connection()
        return response
