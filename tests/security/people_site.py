"""A real site with single sign-on, the browsers of people on it, and a slow mail server."""

from __future__ import annotations

import os
import re
import signal
import socketserver
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import requests

from tests.browser.conftest import ROOT, RunningSite, free_port, wait_for_greeting


class Browser(requests.Session):
    def __init__(self, site: str):
        super().__init__()
        self.site = site

    def open(self, path: str, **options: Any) -> requests.Response:
        return self.get(self.site + path, timeout=60, **options)

    def fill(self, path: str, form: str | None = None, **fields: Any) -> requests.Response:
        """Fill in the form of a page, which stands at `form` where that is another."""
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.open(form or path).text)
        assert token, f"no form at {form or path}"
        return self.post(self.site + path, {"csrfmiddlewaretoken": token[1], **fields}, timeout=60)

    def log_in(self, name: str, password: str) -> bool:
        self.fill("/login/", username=name, password=password)
        return self.is_in()

    def is_in(self) -> bool:
        return self.open("/account/", allow_redirects=False).status_code == 200

    def sign_on(self) -> requests.Response:
        """To the identity provider and back."""
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', self.open("/login/").text)
        assert token
        start = f"{self.site}/account/oidc/sso/login/?process=login"
        away = self.post(start, {"csrfmiddlewaretoken": token[1]}, allow_redirects=False, timeout=60)
        state = parse_qs(urlsplit(away.headers["Location"]).query)["state"][0]
        return self.open(f"/account/oidc/sso/login/callback/?code=code&state={state}")


@contextmanager
def running_site(folder: Path, **variables: str) -> Iterator[RunningSite]:
    folder.mkdir(exist_ok=True)
    port, log = free_port(), folder / "up.log"
    environment = os.environ | {"ECONEVALS_DATA_DIR": str(folder), "PORT": str(port)} | variables
    with log.open("wb") as out:
        up = subprocess.Popen([sys.executable, "manage.py", "up"], cwd=ROOT, env=environment, stdout=out, stderr=out)
    try:
        password = re.search(r"password\s+(\S+)", wait_for_greeting(log, up))
        assert password
        yield RunningSite(f"http://127.0.0.1:{port}", "owner", password[1], folder)
    finally:
        up.send_signal(signal.SIGTERM)
        up.wait(timeout=120)


class SlowMailServer(socketserver.ThreadingTCPServer):
    """Takes messages, and thinks for `seconds` about each."""

    allow_reuse_address = daemon_threads = True

    def __init__(self, seconds: float):
        super().__init__(("127.0.0.1", 0), _Conversation)
        self.seconds = seconds
        self.messages: list[str] = []

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.server_address[1]}"

    def __enter__(self) -> SlowMailServer:
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        self.server_close()

    def message_to(self, address: str, *, after: int = 0, seconds: float = 60) -> str:
        """Waits for it."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if found := [text for text in self.messages[after:] if f"To: {address}" in text]:
                return found[0]
            time.sleep(0.1)
        raise AssertionError(f"No message to {address}.")


class _Conversation(socketserver.StreamRequestHandler):
    server: SlowMailServer

    def handle(self) -> None:
        self._say("220 ready")
        while line := self.rfile.readline().decode().strip().upper():
            if line == "DATA":
                self._say("354 go on")
                text = b"".join(iter(self.rfile.readline, b".\r\n"))
                time.sleep(self.server.seconds)
                self.server.messages.append(text.replace(b"=\r\n", b"").decode())
            self._say("221 bye" if line == "QUIT" else "250 fine")

    def _say(self, line: str) -> None:
        self.wfile.write(f"{line}\r\n".encode())
