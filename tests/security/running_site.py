"""A site in processes of its own, without worker and broker, and a person who uses it by HTTP."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import requests

from tests.browser.conftest import ROOT, free_port

START_SECONDS = 60
PASSWORD = "correct horse battery"
_TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')


@dataclass(frozen=True)
class RunningSite:
    """variables: the environment of its processes"""

    address: str
    variables: dict[str, str]

    def run(self, *words: str) -> str:
        """Run a management command on the site's data and return what it printed."""
        command = [sys.executable, "manage.py", *words]
        done = subprocess.run(command, cwd=ROOT, env=self.variables, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def sign_in(self, username: str) -> Person:
        person = Person(self.address)
        person.post("/login/", username=username, password=PASSWORD)
        return person


class Person:
    """A browser as far as forms need one: cookies, and the token of the form."""

    def __init__(self, address: str):
        self._address = address
        self._session = requests.Session()

    def get(self, path: str) -> requests.Response:
        return self._session.get(self._address + path, timeout=30)

    def post(self, path: str, **fields: Any) -> requests.Response:
        token = _TOKEN.search(self.get("/account/" if path != "/login/" else path).text)
        assert token, path
        fields["csrfmiddlewaretoken"] = token[1]
        return self._session.post(self._address + path, data=fields, timeout=90)


@contextmanager
def running_site(folder: Path, script: str, **variables: str) -> Iterator[RunningSite]:
    """Start a site on SQLite in `folder`, after `script` has put people and rows into its database."""
    port = free_port()
    kept = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    environment = kept | {"ECONEVALS_DATA_DIR": str(folder), "PORT": str(port)} | variables
    site = RunningSite(f"http://127.0.0.1:{port}", environment)
    site.run("owner")
    site.run("shell", "-c", script)
    site.run("prepare")
    with (folder / "web.log").open("wb") as log:
        command = [sys.executable, "manage.py", "serve", "--port", str(port)]
        web = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
        try:
            _wait(site, web, folder / "web.log")
            yield site
        finally:
            web.terminate()
            web.wait(timeout=30)


def _wait(site: RunningSite, web: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while True:
        try:
            requests.get(f"{site.address}/login/", timeout=10)
            return
        except requests.ConnectionError:
            assert web.poll() is None and time.monotonic() < deadline, log.read_text()[-3000:]
            time.sleep(0.2)
