"""A connection to the embedded broker is made only where this user runs the server behind the socket."""

from __future__ import annotations

import os
import socket
import struct

import redis
from django.conf import settings

CREDENTIALS = struct.Struct("3i")
"""As the kernel fills them in on Linux: process, user and group of the server when it began to listen."""

_connect_anyhow = redis.UnixDomainSocketConnection._connect


def _connect(self: redis.UnixDomainSocketConnection) -> socket.socket:
    made: socket.socket = _connect_anyhow(self)
    if not settings.REDIS_URL and hasattr(socket, "SO_PEERCRED"):
        _, owner, _ = CREDENTIALS.unpack(made.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, CREDENTIALS.size))
        if owner != os.geteuid():
            made.close()
            raise ConnectionRefusedError(f"Another user (uid {owner}) runs the server at {self.path}.")
    return made


def refuse_foreign_servers() -> None:
    """For every client in this process, Celery's among them, which takes no class of connections of ours."""
    redis.UnixDomainSocketConnection._connect = _connect
