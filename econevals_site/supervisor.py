"""The processes of the one-machine set-up, started together, restarted when they die, stopped together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

RESTART_SECONDS = 2.0
STOP_SECONDS = 40.0
QUICK_DEATHS = 5
"""Deaths within a minute after which a process is given up, and with it the site."""


@dataclass
class Child:
    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    deaths: list[float] = field(default_factory=list)


class Supervisor:
    """Runs children until SIGINT or SIGTERM. Each is its own process group, so that Ctrl-C reaches only the supervisor."""

    def __init__(self, commands: Mapping[str, Sequence[str]]):
        self.children = [Child(name, command) for name, command in commands.items()]
        self.stopping = False

    def start(self) -> None:
        signal.signal(signal.SIGINT, self._stop)
        signal.signal(signal.SIGTERM, self._stop)
        for child in self.children:
            self._spawn(child)

    def watch(self) -> int:
        """Until told to stop; the exit code: 0, or 1 where a child kept dying."""
        failed = False
        while not self.stopping and not failed:
            time.sleep(0.2)
            failed = not all(self._alive(child) for child in self.children)
        self._end()
        return int(failed)

    def _spawn(self, child: Child) -> None:
        child.process = subprocess.Popen(child.command, stdin=subprocess.DEVNULL, start_new_session=True)

    def _alive(self, child: Child) -> bool:
        """Restart a dead child; False where it died too often."""
        assert child.process is not None
        if child.process.poll() is None or self.stopping:
            return True
        now = time.monotonic()
        child.deaths = [death for death in child.deaths if now - death < 60] + [now]
        if len(child.deaths) >= QUICK_DEATHS:
            print(f"The {child.name} process stopped {QUICK_DEATHS} times within a minute; giving up.", file=sys.stderr)
            return False
        print(
            f"The {child.name} process stopped with code {child.process.returncode}; starting it again.",
            file=sys.stderr,
        )
        time.sleep(RESTART_SECONDS)
        self._spawn(child)
        return True

    def _stop(self, *_: object) -> None:
        self.stopping = True

    def _end(self) -> None:
        """Stop the children in reverse order, so that the broker goes last."""
        deadline = time.monotonic() + STOP_SECONDS
        for child in reversed(self.children):
            if child.process is not None and child.process.poll() is None:
                os.killpg(child.process.pid, signal.SIGTERM)
                try:
                    child.process.wait(timeout=max(1.0, deadline - time.monotonic()))
                except subprocess.TimeoutExpired:
                    os.killpg(child.process.pid, signal.SIGKILL)
                    child.process.wait()
