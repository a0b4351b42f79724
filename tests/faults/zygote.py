"""A process that has imported everything and forks workers in milliseconds instead of a second of CPU each.

It opens no connection and starts no thread, so that a fork is as good as a process of its own. Every fork leads a process
group; the rig kills it by that.
"""

import importlib
import json
import os
import signal
import sys
import time
import traceback
from contextlib import suppress
from pathlib import Path

from tests.data_folders import ROOT
from tests.faults.companion import Companion, serve
from tests.processes import is_alive
from tests.waiting import wait_until

# Libraries of numbers start threads when they are imported, which a fork would not have.
ONE_THREAD = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}

PRELOADED = """
    anthropic.resources.messages celery.apps.worker celery.beat celery.concurrency.thread
    celery.worker.consumer highspy kombu.transport.redis openai.resources.chat pulp workspace.transfer.writing scipy.special
    tests.faults.roles
"""
"""Celery imports its parts when they are used; the SDKs are imported by an agent's first query."""


class Zygote:
    """The rig's side: forks that play a role of `tests.faults.roles`, by pid. root: of the code they run."""

    def __init__(self, folder, variables, root=ROOT):
        self.folder = folder
        self.log = folder / "workers.log"
        self._results = 0
        variables, log = variables | ONE_THREAD, folder / "zygote.log"
        self._companion = Companion("tests.faults.zygote", variables=variables, log=log, root=root)
        self._companion.ask("ready")

    def fork(self, role, **words):
        result = words.pop("result", "")
        answer = self._companion.ask("fork", role=role, words=words, log=str(self.log), result=result)
        return int(answer["pid"])

    def call(self, role, **words):
        """Fork, wait, and return what the role returned. AssertionError where it failed or took longer."""
        self._results += 1
        result = self.folder / f"result-{self._results}.json"
        pid = self.fork(role, result=str(result), **words)
        try:
            wait_until(lambda: not is_alive(pid), lambda: f"{role} does not end: {self.tail()}", every=0.01)
        except AssertionError:
            kill_group(pid)
            raise
        if not result.exists():
            raise AssertionError(f"{role} died: {self.tail()}")
        answer = json.loads(result.read_text())
        result.unlink()
        if "failure" in answer:
            raise AssertionError(f"{role} failed: {answer['failure']}")
        return answer["result"]

    def command(self, *words):
        """What a command says. AssertionError where it does not end well."""
        code, out, err = self.call("command", words=words)
        assert code == 0, err
        return str(out)

    def refusal(self, *words):
        """The sentence with which a command refuses its input."""
        code, out, err = self.call("command", words=words)
        assert code == 2, out
        return str(err)

    def tail(self):
        return self.log.read_text(errors="replace")[-3000:] if self.log.exists() else ""

    def close(self):
        self._companion.close()


def kill_group(pid):
    """SIGKILL to a fork and all it started, and wait until it is gone."""
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        # It is gone, or so young that it leads no group yet.
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    while is_alive(pid):
        time.sleep(0.002)


def preload():
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")
    import django

    django.setup()
    for module in PRELOADED.split():
        importlib.import_module(module)
    from econevals_site.celery import app

    app.loader.import_default_modules()
    # The kernel reaps ended children; no code here waits for them.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    threads = len(os.listdir("/proc/self/task"))
    assert threads == 1, f"{threads} threads would be missing from every fork"


def answer(do, words):
    if do == "ready":
        return {}
    pid = os.fork()
    if pid:
        return {"pid": pid}
    _be(words["role"], words["words"], words["log"], words["result"])
    return {}


def _be(role, words, log, result):
    """The fork: never returns."""
    code = 1
    try:
        os.setsid()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        written = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for stream, file in ((0, nothing), (1, written), (2, written)):
            os.dup2(file, stream)
        from tests.faults import roles

        outcome = {"result": getattr(roles, role)(**words)}
        code = 0
    except SystemExit:
        outcome, code = {"result": None}, 0
    except BaseException:
        outcome = {"failure": traceback.format_exc()[-4000:]}
        traceback.print_exc()
    if result:
        Path(result + ".part").write_text(json.dumps(outcome))
        os.replace(result + ".part", result)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


if __name__ == "__main__":
    preload()
    serve(answer)
