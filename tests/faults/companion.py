"""A process beside the rig that answers one line of JSON with one line of JSON."""

import json
import os
import subprocess
import sys
import threading

from tests.data_folders import ROOT


class Companion:
    """Starts `python -m module words`, talks to it through its standard streams and ends it by its own pid.

    root: of the code
    """

    def __init__(self, module, *words, variables, log, root=ROOT):
        with log.open("ab") as errors:
            streams = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": errors}
            command = [sys.executable, "-m", module, *words]
            self.process = subprocess.Popen(command, cwd=root, env=variables, start_new_session=True, **streams)
        self.log = log
        self._lock = threading.Lock()

    def ask(self, do, **words):
        """What the process answers; a RuntimeError with the end of its log where it does not."""
        with self._lock:
            self.process.stdin.write(json.dumps({"do": do} | words).encode() + b"\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(f"{self.process.args} is gone: {self.log.read_text()[-2000:]}")
        return json.loads(line)

    def close(self):
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()
        self.process.kill()
        self.process.wait()


def serve(answer):
    """The other end: answers every line until the rig closes the stream. Other output goes to the log."""
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for line in sys.stdin:
        words = json.loads(line)
        out.write(json.dumps(answer(words.pop("do"), words)) + "\n")
        out.flush()
