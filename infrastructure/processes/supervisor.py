"""Starts processes together, restarts those that die, and stops all of them together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

RESTART_SECONDS = 2.0
STOP_SECONDS = 40.0
QUICK_DEATHS = 5
QUICK_SECONDS = 10.0
"""The supervisor gives up after QUICK_DEATHS deaths in a row, each within QUICK_SECONDS of the start."""


@dataclass
class Child:
    name: str
    command: Sequence[str]
    process: subprocess.Popen[bytes] | None = None
    started: float = 0.0
    quick_deaths: int = 0


class Supervisor:
    """Runs children until SIGINT or SIGTERM. Each has its own process group, so that Ctrl-C reaches only the supervisor."""

    def __init__(self, commands: Mapping[str, Sequence[str]], stop_seconds: float = STOP_SECONDS):
        self.children = [Child(name, command) for name, command in commands.items()]
        self.stop_seconds = stop_seconds
        self.stopping = False

    def start(self) -> None:
        signal.signal(signal.SIGINT, self._stop)
        signal.signal(signal.SIGTERM, self._stop)
        for child in self.children:
            self._spawn(child)

    def watch(self) -> int:
        """Wait for a signal. Returns the exit code: 0, or 1 if a child kept dying."""
        failed = False
        while not self.stopping and not failed:
            time.sleep(0.2)
            failed = not all(self._alive(child) for child in self.children)
        self._end()
        return int(failed)

    def _spawn(self, child: Child) -> None:
        child.started = time.monotonic()
        child.process = subprocess.Popen(child.command, stdin=subprocess.DEVNULL, start_new_session=True)

    def _alive(self, child: Child) -> bool:
        """Restart a dead child. Returns False if it died too often."""
        assert child.process is not None
        if child.process.poll() is None or self.stopping:
            return True
        quick = time.monotonic() - child.started < QUICK_SECONDS
        child.quick_deaths = child.quick_deaths + 1 if quick else 0
        if child.quick_deaths >= QUICK_DEATHS:
            message = f"The {child.name} process stopped {QUICK_DEATHS} times as soon as it ran; giving up."
            print(message, file=sys.stderr)
            return False
        message = f"The {child.name} process stopped with code {child.process.returncode}; starting it again."
        print(message, file=sys.stderr)
        time.sleep(RESTART_SECONDS)
        self._spawn(child)
        return True

    def _stop(self, *_: object) -> None:
        self.stopping = True

    def _end(self) -> None:
        """Send SIGTERM to all children, and SIGKILL after `stop_seconds`."""
        deadline = time.monotonic() + self.stop_seconds
        running = [child.process for child in self.children if child.process and child.process.poll() is None]
        for process in running:
            os.killpg(process.pid, signal.SIGTERM)
        for process in running:
            try:
                process.wait(timeout=max(1.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
