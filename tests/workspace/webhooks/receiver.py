"""A local server that receives webhooks and fails in the way that its script says."""

import json
import threading
import time
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Respond:
    """delay: seconds before the answer; endless: a body that never ends, `pause` seconds between its pieces"""

    status: int = 200
    body: bytes = b"Thanks."
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    endless: bool = False
    pause: float = 0.0
    raw: bytes | None = None


@dataclass(frozen=True)
class Got:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Receiver:
    """with Receiver() as receiver: ...; `script` is called with each message, or one answer is given to all."""

    def __init__(self, script=Respond()):  # noqa: B008
        self.script = script
        self.got = []
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.receiver = self
        self.port = self._server.server_address[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    @property
    def kinds(self):
        return [got.json["type"] for got in self.got]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    receiver: Receiver


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_POST(self):
        receiver = self.server.receiver
        size = int(self.headers.get("content-length", 0))
        body = self.rfile.read(size)
        if len(body) < size:  # the sender was killed in the middle
            self.close_connection = True
            return
        got = Got(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        receiver.got.append(got)
        answer = receiver.script(got) if callable(receiver.script) else receiver.script
        receiver.closing.wait(answer.delay)
        with suppress(OSError):
            self._answer(answer)
        self.close_connection = True

    do_GET = do_POST

    def _answer(self, answer):
        if answer.raw is not None:
            self.wfile.write(answer.raw)
            return
        self.send_response(answer.status)
        for name, value in answer.headers.items():
            self.send_header(name, value)
        if not answer.endless:
            self.send_header("Content-Length", str(len(answer.body)))
        self.end_headers()
        self.wfile.write(answer.body)
        while answer.endless and not self.server.receiver.closing.is_set():
            self.wfile.write(b"x" * 1000)
            time.sleep(answer.pause)

    def log_message(self, *_):
        pass
