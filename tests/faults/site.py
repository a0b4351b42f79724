"""A site in processes of its own: commands and workers on a data folder, as bin/up starts them."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent


class Site:
    """Commands and one worker at a time against a data folder, or against the services that `variables` name; never
    against those that the tests themselves use."""

    def __init__(self, folder: Path, **variables: str):
        folder.mkdir(exist_ok=True)
        self.folder = folder
        own = {name: value for name, value in os.environ.items() if name not in {"DATABASE_URL", "REDIS_URL"}}
        self.variables = own | {
            "ECONEVALS_DATA_DIR": str(folder),
            "ECONEVALS_LEASE_SECONDS": "2",
            "ECONEVALS_SWEEP_SECONDS": "1",
            "ECONEVALS_ALLOW_PRIVATE_ENDPOINTS": "1",
            "PYTHONWARNINGS": "ignore",
        }
        self.variables |= variables
        self.worker: subprocess.Popen[bytes] | None = None

    def run(self, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(command, cwd=ROOT, env=self.variables, capture_output=True, text=True, timeout=300)
        if check and done.returncode:
            raise AssertionError(f"{' '.join(words)} ended with {done.returncode}: {done.stderr[-2000:]}")
        return done

    def launch(self, *words: str) -> dict[str, Any]:
        result: dict[str, Any] = json.loads(self.run("launch", *words, "--json").stdout)
        return result

    def export(self, experiment: int) -> list[dict[str, Any]]:
        lines = self.run("export", "--experiment", str(experiment)).stdout.splitlines()
        return [json.loads(line) for line in lines]

    def start_worker(self, *words: str) -> None:
        with (self.folder / "worker.log").open("ab") as log:
            command = [sys.executable, "manage.py", "work", "--threads", "8", *words]
            self.worker = subprocess.Popen(
                command, cwd=ROOT, env=self.variables, stdout=log, stderr=log, start_new_session=True
            )

    def kill_worker(self) -> None:
        """SIGKILL to the worker and to the broker it started, all at once."""
        if self.worker is not None:
            os.killpg(self.worker.pid, signal.SIGKILL)
            self.worker.wait()
            self.worker = None

    def log(self) -> str:
        path = self.folder / "worker.log"
        return path.read_text()[-3000:] if path.exists() else ""
