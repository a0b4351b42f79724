"""Forked processes, which share imported modules with their parent, and a supervisor of management commands.

A process must not fork while it has a connection to the database or the broker, because two processes cannot share one.
Random numbers are safe: Python seeds `random` anew in a forked process, and `secrets` asks the operating system.
"""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from typing import Self, TypeVar

from django.core.management import call_command

LOOK_SECONDS = 1.0

Result = TypeVar("Result")

fork = get_context("fork")


def in_child(function: Callable[[], Result]) -> Result:
    """Call the function in a process of its own and return its result. Raises what the function raises.

    The process gives its memory back to the system when it ends.
    """
    with ProcessPoolExecutor(1, mp_context=fork, initializer=end_with, initargs=(os.getpid(),)) as child:
        return child.submit(function).result()


def start_child(*command: str) -> ForkProcess:
    """Start a management command in a forked process without waiting for it. It is stopped when this process ends."""
    process = fork.Process(target=_call, args=(os.getpid(), command), daemon=True)
    process.start()
    return process


def _call(parent: int, command: Sequence[str]) -> None:
    end_with(parent)
    call_command(*command)


def end_with(parent: int) -> None:
    """Make this forked process end on SIGTERM, and when its parent has ended, even if the parent was killed."""
    # Replaces the handler that was inherited from the parent process.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()


RESTART_SECONDS = 2.0
STOP_SECONDS = 40.0
QUICK_DEATHS = 5
QUICK_SECONDS = 10.0
"""The supervisor gives up after QUICK_DEATHS deaths in a row, each within QUICK_SECONDS of the start."""


class Child:
    """A management command in a forked process with a process group of its own."""

    def __init__(self, name: str, command: Sequence[str]):
        self.name = name
        self.command = command
        self.quick_deaths = 0
        self.spawn()

    def spawn(self) -> None:
        self.started = time.monotonic()
        self.process = fork.Process(target=self._run, args=(os.getpid(),))
        self.process.start()
        # Parent and child both set the group, because neither may go on before it is set.
        with suppress(ProcessLookupError, PermissionError):
            os.setpgid(self.pid, self.pid)

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    def _run(self, parent: int) -> None:
        os.setpgid(0, 0)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        _call(parent, self.command)


class Supervisor:
    """Runs child processes until SIGINT or SIGTERM, and restarts them. The end of its `with` block stops them.

    Each child has its own process group, so that Ctrl-C reaches only the supervisor.
    """

    def __init__(self, stop_seconds: float = STOP_SECONDS) -> None:
        self.children: list[Child] = []
        self.stop_seconds = stop_seconds
        self.stopping = False
        signal.signal(signal.SIGINT, self._stop)
        signal.signal(signal.SIGTERM, self._stop)

    def start(self, name: str, *command: str) -> None:
        self.children.append(Child(name, command))

    def watch(self) -> int:
        """Restart dead children until a signal arrives. Returns the exit code: 0, or 1 if a child kept dying."""
        failed = False
        while not self.stopping and not failed:
            time.sleep(0.2)
            failed = not all(self._alive(child) for child in self.children)
        return int(failed)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        deadline = time.monotonic() + self.stop_seconds
        running = [child for child in self.children if child.process.is_alive()]
        for child in running:
            os.killpg(child.pid, signal.SIGTERM)
        for child in running:
            child.process.join(timeout=max(1.0, deadline - time.monotonic()))
            if child.process.is_alive():
                os.killpg(child.pid, signal.SIGKILL)
                child.process.join()

    def _alive(self, child: Child) -> bool:
        """Restart a dead child. Returns False if it died too often."""
        if child.process.is_alive() or self.stopping:
            return True
        quick = time.monotonic() - child.started < QUICK_SECONDS
        child.quick_deaths = child.quick_deaths + 1 if quick else 0
        if child.quick_deaths >= QUICK_DEATHS:
            print(
                f"The {child.name} process stopped {QUICK_DEATHS} times as soon as it ran; giving up.", file=sys.stderr
            )
            return False
        print(
            f"The {child.name} process stopped with code {child.process.exitcode}; starting it again.", file=sys.stderr
        )
        time.sleep(RESTART_SECONDS)
        child.spawn()
        return True

    def _stop(self, *_: object) -> None:
        self.stopping = True
