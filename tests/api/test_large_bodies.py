"""A body of a gigabyte is refused before it is read, on the real server."""

import os
import socket
import subprocess
import sys
from contextlib import suppress

import pytest

from tests.data_folders import ROOT
from tests.running_site import free_port, listens
from tests.waiting import patience, wait_until


@pytest.fixture
def server(tmp_path):
    """The port of a site without a database; refused requests need none."""
    port = free_port()
    environment = os.environ | {"ECONEVALS_DATA_DIR": str(tmp_path)}
    environment.pop("DATABASE_URL", None)
    command = [sys.executable, "-m", "uvicorn", "econevals_site.asgi:application", "--port", str(port)]
    process = subprocess.Popen([*command, "--log-level", "error"], cwd=ROOT, env=environment)
    try:
        wait_until(lambda: listens(port), lambda: "The server does not listen.")
        yield port
    finally:
        process.terminate()
        process.wait(patience())


def send(port, head, parts=0):
    """The answer up to its end; at most `parts` chunks of 64 KiB are sent, fewer where the server has answered."""
    answer = b""
    with socket.create_connection(("127.0.0.1", port), patience()) as connection:
        connection.sendall(f"POST /api/v1/experiments HTTP/1.1\r\nHost: localhost\r\n{head}\r\n\r\n".encode())
        with suppress(OSError):
            for _ in range(parts):
                connection.sendall(b"10000\r\n" + b"x" * 65536 + b"\r\n")
        with suppress(ConnectionResetError):  # it closed with parts of the body unread
            while received := connection.recv(65536):
                answer += received
    return answer


JSON = "Content-Type: application/json\r\n"


@pytest.mark.long
def test_large_bodies_are_refused_or_cut_off_and_small_bodies_reach_the_site(server):
    for length in ("1073741824", "1048577", "9" * 30):
        # No byte of the body is sent, so a server that waited for one would not answer.
        answer = send(server, f"{JSON}Content-Length: {length}")
        assert answer.split(b" ")[1] in (b"413", b"400"), length
        assert b'"too_large"' in answer or length == "9" * 30
    endless = send(server, f"{JSON}Transfer-Encoding: chunked", parts=64)
    assert endless.split(b" ")[1] == b"413"
    assert send(server, f"{JSON}Content-Length: 0").split(b" ")[1] == b"401"
