"""A real HTTP server with scripted answers and connection faults."""

import json
import ssl
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Reply:
    """status None drops the connection after the request was read; raw replaces the JSON; close ends the connection."""

    data: object = None
    status: int | None = 200
    headers: dict = field(default_factory=dict)
    raw: bytes | None = None
    close: bool = False


@dataclass(frozen=True)
class Request:
    """connection: the port of the client's end"""

    method: str
    path: str
    headers: dict
    body: object
    connection: int


class SmallSite:
    """answer: gives the reply to a request, and how many there were before it"""

    def __init__(self, answer, certificate=None):
        self.requests = []
        self._lock = threading.Lock()
        site = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def _respond(self):
                length = int(self.headers.get("Content-Length") or 0)
                content = self.rfile.read(length)
                headers = {name.lower(): value for name, value in self.headers.items()}
                body = json.loads(content) if content else None
                request = Request(self.command, self.path, headers, body, self.client_address[1])
                with site._lock:
                    number = len(site.requests)
                    site.requests.append(request)
                reply = answer(request, number)
                if reply.status is None:
                    self.close_connection = True
                    return
                content = json.dumps(reply.data).encode() if reply.raw is None else reply.raw
                self.send_response(reply.status)
                for name, value in reply.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)
                # Silently, like a proxy that closes an idle connection.
                self.close_connection = reply.close

            do_GET = do_POST = do_PUT = _respond

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        self.url = f"{'https' if certificate else 'http'}://127.0.0.1:{self.port}"
        threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()

    def close(self):
        self._server.shutdown()
        self._server.server_close()


@contextmanager
def small_site(answer, certificate=None):
    site = SmallSite(answer, certificate)
    try:
        yield site
    finally:
        site.close()
