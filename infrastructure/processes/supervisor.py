"""Starts management commands in processes together, restarts those that die, and stops all of them together."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence

from django.conf import settings

RESTART_SECONDS = 2.0
STOP_SECONDS = 40.0
QUICK_DEATHS = 5
QUICK_SECONDS = 10.0
"""The supervisor gives up after QUICK_DEATHS deaths in a row, each within QUICK_SECONDS of the start."""


class Child:
    def __init__(self, name: str, words: Sequence[str]):
        self.name = name
        self.command = [sys.executable, str(settings.BASE_DIR / "manage.py"), *words]
        self.quick_deaths = 0
        self.spawn()

    def spawn(self) -> None:
        self.started = time.monotonic()
        self.process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, start_new_session=True)


class Supervisor:
    """Runs children until SIGINT or SIGTERM. Each has its own process group, so that Ctrl-C reaches only the supervisor."""

    def __init__(self, stop_seconds: float = STOP_SECONDS) -> None:
        self.children: list[Child] = []
        self.stop_seconds = stop_seconds
        self.stopping = False
        signal.signal(signal.SIGINT, self._stop)
        signal.signal(signal.SIGTERM, self._stop)

    def start(self, name: str, *words: str) -> None:
        self.children.append(Child(name, words))

    def watch(self) -> int:
        """Wait for a signal. Returns the exit code: 0, or 1 if a child kept dying."""
        failed = False
        while not self.stopping and not failed:
            time.sleep(0.2)
            failed = not all(self._alive(child) for child in self.children)
        deadline = time.monotonic() + self.stop_seconds
        running = [child.process for child in self.children if child.process.poll() is None]
        for process in running:
            os.killpg(process.pid, signal.SIGTERM)
        for process in running:
            try:
                process.wait(timeout=max(1.0, deadline - time.monotonic()))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        return int(failed)

    def _alive(self, child: Child) -> bool:
        """Restart a dead child. Returns False if it died too often."""
        if child.process.poll() is None or self.stopping:
            return True
        quick = time.monotonic() - child.started < QUICK_SECONDS
        child.quick_deaths = child.quick_deaths + 1 if quick else 0
        if child.quick_deaths >= QUICK_DEATHS:
            print(
                f"The {child.name} process stopped {QUICK_DEATHS} times as soon as it ran; giving up.", file=sys.stderr
            )
            return False
        message = f"The {child.name} process stopped with code {child.process.returncode}; starting it again."
        print(message, file=sys.stderr)
        time.sleep(RESTART_SECONDS)
        child.spawn()
        return True

    def _stop(self, *_: object) -> None:
        self.stopping = True
