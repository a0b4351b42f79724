"""A process beside the rig that answers one line of JSON with one line of JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent


class Companion:
    """Starts `python -m module words`, talks to it through its standard streams and ends it by its own pid.

    root: of the code
    """

    def __init__(self, module: str, *words: str, variables: Mapping[str, str], log: Path, root: Path = ROOT):
        with log.open("ab") as errors:
            self.process = subprocess.Popen(
                [sys.executable, "-m", module, *words],
                cwd=root,
                env=dict(variables),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                start_new_session=True,
            )
        self.log = log
        self._lock = threading.Lock()

    def ask(self, do: str, **words: Any) -> dict[str, Any]:
        """What the process answers; a RuntimeError with the end of its log where it does not."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None and stdout is not None
        with self._lock:
            stdin.write(json.dumps({"do": do} | words).encode() + b"\n")
            stdin.flush()
            line = stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args} is gone: {self.log.read_text()[-2000:]}")
        answer: dict[str, Any] = json.loads(line)
        return answer

    def close(self) -> None:
        for stream in (self.process.stdin, self.process.stdout):
            if stream is not None:
                stream.close()
        self.process.kill()
        self.process.wait()


def serve(answer: Callable[[str, dict[str, Any]], dict[str, Any]]) -> None:
    """The other end: answer every line until the rig closes the stream. Prints of anybody else go to the log."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        words = json.loads(line)
        out.write(json.dumps(answer(words.pop("do"), words)) + "\n")
        out.flush()
