"""A canary server that no request may reach, a name server for tests, and a record of every connection."""

import socket
import sys
from contextlib import suppress

import pytest

from tests.security.address_vectors import NAMES
from tests.stub_provider import StubAnswer, StubProvider

LOOK_UP = socket.getaddrinfo
_watches = []


def _watch(event, arguments):
    if event == "socket.connect" and _watches and isinstance(arguments[1], tuple):
        _watches[-1].append(arguments[1][:2])
        if not str(arguments[1][0]).startswith("127."):
            raise PermissionError(f"A test reached for {arguments[1][0]}.")


# The audit hook sees the connections of every library. Such a hook stays until the process ends.
sys.addaudithook(_watch)


@pytest.fixture
def dialled():
    """Every address that is connected to during the test; none but this machine's is reached."""
    _watches.append(seen := [])
    yield seen
    _watches.remove(seen)


@pytest.fixture(scope="session")
def canary():
    """A model endpoint that answers every request; `count` is their number."""
    with StubProvider(lambda *_: StubAnswer(text="You should not be here.")) as stub:
        yield stub


@pytest.fixture(scope="session")
def canary_port(canary):
    return int(canary.url.rpartition(":")[2])


@pytest.fixture
def unreached(canary, canary_port, dialled):
    """The canary's port. Nothing may be connected to during the test, and the canary is not reached."""
    yield canary_port
    assert not dialled and canary.count == 0


def numeric(host):
    """Whether the system reads an IP address from it, for which it asks no name server."""
    try:
        plain = host.encode("idna").decode() if host else ""
    except UnicodeError:
        return False
    for read in (lambda: socket.inet_pton(socket.AF_INET6, plain.partition("%")[0]), lambda: socket.inet_aton(plain)):
        with suppress(OSError, ValueError):
            return bool(read())
    return False


def answer(host, port, *arguments, **options):
    """getaddrinfo with a name server that resolves only NAMES."""
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
def name_server(monkeypatch):
    """Every look-up of this process is answered by NAMES."""
    monkeypatch.setattr(socket, "getaddrinfo", answer)
