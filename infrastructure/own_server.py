"""Refuses to connect to the embedded broker if another user runs the server behind the socket."""

import os
import socket
import struct

import redis
from django.conf import settings

CREDENTIALS = struct.Struct("3i")
"""Linux `struct ucred`: process, user and group of the server when it began to listen."""

_connect_anyhow = redis.UnixDomainSocketConnection._connect


def _connect(self: redis.UnixDomainSocketConnection) -> socket.socket:
    made: socket.socket = _connect_anyhow(self)  # type: ignore[no-untyped-call]
    if not settings.REDIS_URL and hasattr(socket, "SO_PEERCRED"):
        _, owner, _ = CREDENTIALS.unpack(made.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))
        if owner != os.geteuid():
            made.close()
            raise ConnectionRefusedError(f"Another user (uid {owner}) runs the server at {self.path}.")
    return made


def refuse_foreign_servers() -> None:
    """Patches every client of this process, since Celery's client does not accept a custom connection class."""
    redis.UnixDomainSocketConnection._connect = _connect  # type: ignore[method-assign]
