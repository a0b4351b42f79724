"""Forked processes: they share what this process has imported, and need no time to import it again.

This process may have no connection to the database or the broker when it forks, since two processes cannot share one.
Python itself seeds `random` anew in a forked process; `secrets` asks the operating system.
"""

import os
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from multiprocessing.context import ForkProcess
from typing import TypeVar

LOOK_SECONDS = 1.0

Result = TypeVar("Result")

fork = get_context("fork")


def in_child(function: Callable[[], Result]) -> Result:
    """Call the function in a process of its own, which gives its memory back when it ends. Raises what it raises."""
    with ProcessPoolExecutor(1, mp_context=fork, initializer=end_with, initargs=(os.getpid(),)) as child:
        return child.submit(function).result()


def start_child(function: Callable[[], None]) -> ForkProcess:
    """Call the function in a forked process, and go on. It is stopped when this process ends."""
    process = fork.Process(target=_call, args=(function, os.getpid()), daemon=True)
    process.start()
    return process


def _call(function: Callable[[], None], parent: int) -> None:
    end_with(parent)
    function()


def end_with(parent: int) -> None:
    """Stop this forked process on SIGTERM, and as on SIGTERM when the parent process has ended, also after SIGKILL."""
    # The handler of the parent process was inherited.
    signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(LOOK_SECONDS)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()
