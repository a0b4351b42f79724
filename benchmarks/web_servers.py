"""Compares the site's web process with other servers: slow clients, 64 connections at once, processor time and memory.

names: any of `ours`, `handler`, `waitress` and `granian`; all by default. The benchmark passes --serve-by and --port to the
processes that it starts.

`handler` is our server with Django's ASGI handler instead of `econevals_site.serving.threads`. waitress and granian serve
the site as WSGI, with limits as close to ours as possible. The site does not require them, so install them separately:
`pip install --target FOLDER waitress granian`, then set PYTHONPATH=FOLDER.

24 clients of each kind attack at the same time for 40 seconds, twice the longest of our deadlines. Meanwhile another client
opens the log-in page once a second.
"""

import logging
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from benchmarks.harness import ROOT, spending
from benchmarks.processes import cpu_seconds, kilobytes, tree
from tests.running_site import free_port

ESTABLISHED = "01"
CLIENTS, ATTACK_SECONDS, AT_ONCE, REQUESTS = 24, 40, 64, 3000
SLOWEST, THREADS, MOST_BODY = 20, 64, 65 * 1024 * 1024
SLOWEST_PAGE = 15.0
POST = (
    f"POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: csrftoken={'c' * 32}\r\n"
    "Content-Type: application/x-www-form-urlencoded\r\n"
)
"""Head of a request. Without the cookie and the content type, Django would answer by WSGI before it reads the body."""

HEADS = {
    "slow head": "GET / HTTP/1.1\r\nX-Long: ",
    "slow body": f"{POST}Content-Length: 60000\r\n\r\n",
    "slow trailer": f"{POST}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Long: ",
    "reads nothing": "GET /large HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}
"""What each kind of client sends first. Slow clients then send one byte a second."""


def serve(name: str, host: str, port: int) -> None:
    """Serve the site until the process is stopped."""
    if name == "waitress":
        import waitress
        from django.core.wsgi import get_wsgi_application

        listener = socket.create_server((host, port), backlog=1024)
        logging.getLogger("waitress").setLevel(logging.ERROR)
        waitress.serve(
            get_wsgi_application(),
            sockets=[listener],
            threads=THREADS,
            connection_limit=256,
            channel_timeout=SLOWEST,
            cleanup_interval=5,
            max_request_body_size=MOST_BODY,
        )
    elif name == "granian":
        from granian import Granian
        from granian.http import HTTP1Settings

        target, timeout = "django.core.wsgi:get_wsgi_application", HTTP1Settings(header_read_timeout=10_000)
        more: dict[str, Any] = {"factory": True, "websockets": False, "http1_settings": timeout, "log_level": "warning"}
        Granian(target, host, port, interface="wsgi", blocking_threads=THREADS, **more).serve()  # type: ignore[arg-type]
    else:
        if name == "handler":
            from django.core.handlers.asgi import ASGIHandler

            from econevals_site.serving import threads

            threads.ThreadKeepingHandler = ASGIHandler  # type: ignore[misc,assignment]
        from django.core.management import call_command

        call_command("serve", host=host, port=port)


def add_large_page() -> None:
    from django.http import HttpResponse
    from django.urls import path

    from accounts.guards import public
    from econevals_site import urls

    urls.urlpatterns.insert(0, path("large", public(lambda request: HttpResponse(b"x" * 16 * 1024 * 1024))))


def page_seconds(port: int, path: str) -> float:
    with closing(HTTPConnection("127.0.0.1", port, timeout=SLOWEST_PAGE)) as connection, spending() as spent:
        try:
            connection.request("GET", path)
            connection.getresponse().read()
        except OSError:
            return SLOWEST_PAGE
    return spent.seconds


def attack(port: int) -> str:
    """Attack with slow clients. Returns a text: how many stay connected to the end, and the times of the log-in page."""
    with ExitStack() as opened:
        clients = [(kind, opened.enter_context(socket.socket())) for kind in HEADS for _ in range(CLIENTS)]
        for kind, client in clients:
            client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            client.connect(("127.0.0.1", port))
            client.sendall(HEADS[kind].encode())
        pages, left, end = [], clients, time.monotonic() + ATTACK_SECONDS
        while time.monotonic() < end:
            pages.append(page_seconds(port, "/login/"))
            left = [(kind, client) for kind, client in left if is_open(client, kind)]
            time.sleep(max(0.0, 1 - pages[-1]))
    counts = ", ".join(f"{kind} {sum(left_kind == kind for left_kind, _ in left)}" for kind in HEADS)
    page = f"median {statistics.median(pages):.2f} s, longest {max(pages):.2f} s"
    return f"still connected of {CLIENTS}: {counts}; log-in page: {page}"


def is_open(client: socket.socket, kind: str) -> bool:
    """Whether a slow client is still connected: it can send a byte, or for "reads nothing", its socket is established."""
    if kind == "reads nothing":
        client_port = f":{client.getsockname()[1]:04X}"
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return any(row[2].endswith(client_port) and row[3] == ESTABLISHED for row in rows)
    try:
        client.sendall(b"x")
    except OSError:
        return False
    return True


def crowd(port: int, path: str, pid: int) -> str:
    """Send REQUESTS requests over AT_ONCE persistent connections. Returns a text with rate, processor and response time."""

    def ask(number: int) -> list[float]:
        seconds = []
        with closing(HTTPConnection("127.0.0.1", port, timeout=60)) as connection:
            for _ in range(REQUESTS // AT_ONCE):
                with spending() as spent:
                    connection.request("GET", path)
                    answer = connection.getresponse()
                    assert answer.status == 200 and answer.read()
                seconds.append(spent.seconds)
        return seconds

    with spending(lambda: sum(map(cpu_seconds, tree(pid)))) as spent, ThreadPoolExecutor(AT_ONCE) as pool:
        seconds = [second for of_connection in pool.map(ask, range(AT_ONCE)) for second in of_connection]
    return (
        f"{path}: {len(seconds) / spent.seconds:.0f} requests a second, "
        f"{1000 * spent.processor / len(seconds):.2f} ms of processor each, "
        f"95 % within {statistics.quantiles(seconds, n=20)[-1]:.2f} s"
    )


def measure(name: str, folder: str) -> None:
    port = free_port()
    command = [sys.executable, "-m", "benchmarks", "web_servers", "--serve-by", name, "--port", str(port)]
    site = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"ECONEVALS_DATA_DIR": folder})
    try:
        while page_seconds(port, "/login/") >= SLOWEST_PAGE:
            assert site.poll() is None
            time.sleep(0.2)
        print(name)
        for path in ("/health", "/login/"):
            crowd(port, path, site.pid)  # Warms up.
            print(f"  {crowd(port, path, site.pid)}")
        print(f"  {sum(kilobytes(pid, 'smaps_rollup', 'Pss') for pid in tree(site.pid)) / 1000:.0f} MB")
        print(f"  {attack(port)}", flush=True)
    finally:
        site.terminate()
        site.wait()


def main(*names: str, serve_by: str = "", port: int = 0) -> None:
    if serve_by:
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "econevals_site.settings")
        import django

        django.setup()
        add_large_page()
        serve(serve_by, "127.0.0.1", port)
    else:
        with tempfile.TemporaryDirectory(prefix="econevals-servers.", ignore_cleanup_errors=True) as folder:
            variables = os.environ | {"ECONEVALS_DATA_DIR": folder}
            for command in (["prepare"], ["migrate", "--verbosity", "0"]):
                subprocess.run([sys.executable, "manage.py", *command], cwd=ROOT, env=variables, check=True)
            for name in names or ("ours", "handler", "waitress", "granian"):
                measure(name, folder)
