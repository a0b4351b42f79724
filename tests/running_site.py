"""A real site in processes of its own, as bin/up runs it, and a person's browser as far as forms need one."""

import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests

from tests.data_folders import ROOT, copy_of, new_site, run_on
from tests.waiting import patience, wait_until

_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


BENCHMARKS_ONLY = """
from runs import bootstrap
bootstrap.DEMO = bootstrap.DEMO[:1]
organization, password = bootstrap.ensure_organization(allow_environment_keys=True)
bootstrap.ensure_demo(organization)
print(password)
"""


def played_site(folder: Path) -> None:
    """A site that has played its demo without the litmus tests, which take longer. The file `password` is the owner's."""
    copy_of(new_site, folder)
    (folder / "password").write_text(run_on(folder, BENCHMARKS_ONLY))
    with up(folder, ROOT, {}) as (_, log):
        wait_until_played(folder, log)


def demo_site(folder: Path) -> None:
    """A site that has played its whole demo."""
    copy_of(new_site, folder)
    with up(folder, ROOT, {}) as (_, log):
        password = re.search(r"password\s+(\S+)", log.read_text())
        assert password, log.read_text()
        (folder / "password").write_text(password[1])
        wait_until_played(folder, log)


def wait_until_played(folder: Path, log: Path) -> None:
    """Wait until all runs of a site have finished. AssertionError if none finishes for long."""
    with closing(sqlite3.connect(folder / "econevals.sqlite3", timeout=patience())) as database:
        left = lambda: database.execute("SELECT COUNT(*) FROM runs_run WHERE state <> 'finished'").fetchone()[0]  # noqa: E731
        while before := left():
            wait_until(lambda: left() < before, log.read_text, every=0.2)  # noqa: B023


@dataclass(frozen=True)
class RunningSite:
    """password: the owner's"""

    address: str
    user: str
    password: str
    folder: Path

    def browser(self, name: str = "", password: str = "") -> "Browser":
        """A browser with a signed-in person, by default the owner."""
        browser = Browser(self.address)
        assert browser.log_in(name or self.user, password or self.password)
        return browser

    def run(self, script: str) -> str:
        """Run Python code on the site's data and return what it printed."""
        return run_on(self.folder, script)


@contextmanager
def running_site(folder: Path, *, root: Path = ROOT, **variables: str) -> Iterator[RunningSite]:
    """Start a site with its data in `folder` and its code in `root`, with `variables` in its environment."""
    copy_of(played_site, folder)
    with up(folder, root, variables) as (address, _):
        yield RunningSite(address, "owner", (folder / "password").read_text(), folder)


@contextmanager
def up(folder: Path, root: Path, variables: dict[str, str]) -> Iterator[tuple[str, Path]]:
    """Run bin/up; the address of the site and its log."""
    port, log = free_port(), folder / "up.log"
    environment = os.environ | {"ECONEVALS_DATA_DIR": str(folder), "PORT": str(port)} | variables
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "up"], cwd=root, env=environment, stdout=out, stderr=out
        )
    try:
        ended = lambda: "Press Ctrl-C" in log.read_text() or process.poll() is not None  # noqa: E731
        wait_until(ended, lambda: log.read_text()[-3000:], every=0.2)
        assert process.poll() is None, log.read_text()[-3000:]
        yield f"http://127.0.0.1:{port}", log
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(patience())


def listens(port: int) -> bool:
    """Whether a program takes connections at a port of this machine."""
    with suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Browser(requests.Session):
    def __init__(self, site: str):
        super().__init__()
        self.site = site

    def open(self, path: str, **options: Any) -> requests.Response:
        return self.get(self.site + path, timeout=patience(), **options)

    def fill(self, path: str, form: str | None = None, **fields: Any) -> requests.Response:
        """Fill in the form of a page, which stands at `form` where that is another."""
        return self.post(self.site + path, self._token(form or path) | fields, timeout=patience())

    def log_in(self, name: str, password: str) -> bool:
        self.fill("/login/", username=name, password=password)
        return self.is_in()

    def is_in(self) -> bool:
        return self.open("/account/", allow_redirects=False).status_code == 200

    def sign_on(self) -> requests.Response:
        """To the identity provider and back."""
        start = f"{self.site}/account/oidc/sso/login/?process=login"
        away = self.post(start, self._token("/login/"), allow_redirects=False, timeout=patience())
        state = parse_qs(urlsplit(away.headers["Location"]).query)["state"][0]
        return self.open(f"/account/oidc/sso/login/callback/?code=code&state={state}")

    def _token(self, path: str) -> dict[str, str]:
        token = _TOKEN.search(self.open(path).text)
        assert token, f"no form at {path}"
        return {"csrfmiddlewaretoken": token[1]}
