"""A body of a gigabyte is refused before it is read, on the real server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    """The site without a database; what is refused here needs none."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = os.environ | {"ECONEVALS_DATA_DIR": str(tmp_path_factory.mktemp("data"))}
    environment = {name: value for name, value in environment.items() if name != "DATABASE_URL"}
    command = [sys.executable, "-m", "uvicorn", "econevals_site.asgi:application", "--port", str(port)]
    process = subprocess.Popen([*command, "--log-level", "error"], cwd=ROOT, env=environment)
    try:
        for _ in range(300):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.2)
        yield port
    finally:
        process.terminate()
        process.wait(20)


def send(port: int, head: str, parts: int = 0) -> bytes:
    """The answer up to its end; at most `parts` chunks of 64 KiB are sent, fewer where the server has answered."""
    with socket.create_connection(("127.0.0.1", port), 10) as connection:
        connection.sendall(f"POST /api/v1/experiments HTTP/1.1\r\nHost: localhost\r\n{head}\r\n\r\n".encode())
        chunk = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        try:
            for _ in range(parts):
                connection.sendall(chunk)
        except OSError:
            pass
        answer = b""
        try:
            while received := connection.recv(65536):
                answer += received
        except ConnectionResetError:
            pass  # it closed with parts of the body unread
        return answer


@pytest.mark.parametrize("length", ["1073741824", "1048577", "9" * 30])
def test_a_told_length_is_refused_at_once(server: int, length: str) -> None:
    started = time.monotonic()
    answer = send(server, f"Content-Type: application/json\r\nContent-Length: {length}")
    assert answer.split(b" ")[1] in (b"413", b"400") and time.monotonic() - started < 2
    if length != "9" * 30:
        assert b'"too_large"' in answer


def test_an_endless_body_is_cut_off(server: int) -> None:
    answer = send(server, "Content-Type: application/json\r\nTransfer-Encoding: chunked", parts=64)
    assert answer.split(b" ")[1] == b"413"


def test_small_bodies_reach_the_site(server: int) -> None:
    answer = send(server, "Content-Type: application/json\r\nContent-Length: 0")
    assert answer.split(b" ")[1] == b"401"
