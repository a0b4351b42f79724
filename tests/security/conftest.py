"""A canary that nobody may visit, a name server of the tests' own, and a watch over every connection."""

import socket
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.security.address_vectors import NAMES
from tests.stub_provider import StubAnswer, StubProvider

LOOK_UP = socket.getaddrinfo
_watches: list[list[Any]] = []


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "socket.connect" and _watches and isinstance(arguments[1], tuple):
        _watches[-1].append(arguments[1][:2])
        if not str(arguments[1][0]).startswith("127."):
            raise PermissionError(f"A test reached for {arguments[1][0]}.")


# Python tells of every connection, whichever library opens it. Such a hook stays until the process ends.
sys.addaudithook(_watch)


@pytest.fixture
def dialled() -> Iterator[list[tuple[str, int]]]:
    """Every address that is connected to during the test; none but this machine's is reached."""
    _watches.append(seen := [])
    yield seen
    _watches.remove(seen)


@pytest.fixture(scope="session")
def canary() -> Iterator[StubProvider]:
    """A model endpoint that answers whoever comes; `count` says how many did."""
    with StubProvider(lambda *_: StubAnswer(text="You should not be here.")) as stub:
        yield stub


@pytest.fixture(scope="session")
def canary_port(canary: StubProvider) -> int:
    return int(canary.url.rpartition(":")[2])


def numeric(host: str) -> bool:
    """Whether the system reads an IP address from it, for which it asks no name server."""
    try:
        plain = host.encode("idna").decode() if host else ""
    except UnicodeError:
        return False
    for family, text in ((socket.AF_INET6, plain.partition("%")[0]), (socket.AF_INET, plain)):
        try:
            socket.inet_pton(family, text) if family == socket.AF_INET6 else socket.inet_aton(text)
        except (OSError, ValueError):
            continue
        return True
    return False


def answer(host: Any, port: Any, *arguments: Any, **options: Any) -> Any:
    """getaddrinfo with a name server that knows NAMES and nothing else."""
    host = host.decode() if isinstance(host, bytes) else host
    if host is None or numeric(host):
        return LOOK_UP(host, port, *arguments, **options)
    try:
        known = NAMES.get(host.encode("idna").decode().lower().rstrip("."), [])
    except UnicodeError:
        known = []
    if not known:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")
    return [found for address in known for found in LOOK_UP(address, port, *arguments, **options)]


@pytest.fixture
def name_server(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look-up of this process is answered by NAMES."""
    monkeypatch.setattr(socket, "getaddrinfo", answer)
