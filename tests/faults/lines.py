"""A process that dies before a chosen line of the engine is executed."""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import agents.loop
import agents.survey
import runs.engine
from runs.engine.advance import advance

WATCHED = (str(Path(runs.engine.__file__).parent) + os.sep, agents.loop.__file__, agents.survey.__file__)


class LineCount:
    """Counts lines of the engine as they are about to run, in all threads; SIGKILL at the `fatal`-th, never where it is 0."""

    def __init__(self, fatal: int):
        self.fatal = fatal
        self.lines = 0

    def trace(self, frame: FrameType, event: str, argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(WATCHED):
            return None
        if event == "line":
            self.lines += 1
            if self.lines == self.fatal:
                os.kill(os.getpid(), signal.SIGKILL)
        return self.trace


def advance_until_line(run: int, line: int) -> int:
    """Advance a run; returns how many lines it took where none of them was fatal."""
    count = LineCount(line)
    threading.settrace(count.trace)
    sys.settrace(count.trace)
    try:
        advance(run)
    finally:
        sys.settrace(None)
        threading.settrace(None)  # type: ignore[arg-type]
    return count.lines
