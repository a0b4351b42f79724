"""What an endpoint's address means is asked once for each connection, judged, and exactly that is dialled."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from agents.addresses import AddressPolicy
from agents.errors import ProviderFatal, ProviderRetry
from agents.llm import LLM
from agents.options import LLMOptions
from agents.providers import connect
from agents.providers.transport import http_client
from tests.agents.conftest import request_of
from tests.security.address_vectors import VECTORS
from tests.stub_provider import StubAnswer, StubProvider

WIRES = {"openai": "openai-compatible", "anthropic": "anthropic"}


def reached(base_url: str, policy: AddressPolicy | None = None, wire: str = "openai") -> LLM:
    options = LLMOptions(WIRES[wire], "any-model", base_url=base_url, timeout_seconds=5.0)
    return connect(options, "sk-canary-0123456789abcdef", policy or AddressPolicy())


@pytest.fixture
def here() -> Iterator[StubProvider]:
    with StubProvider(lambda *_: StubAnswer(text="Hi")) as stub:
        yield stub


def port_of(stub: StubProvider) -> int:
    return int(stub.url.rpartition(":")[2])


@pytest.mark.usefixtures("name_server")
@pytest.mark.parametrize("vector", VECTORS)
def test_nothing_is_connected_to(vector: str, canary: Any, canary_port: int, dialled: list[Any]) -> None:
    with pytest.raises((ProviderFatal, ProviderRetry)):
        reached(vector.format(port=canary_port)).query(request_of())
    assert not dialled and canary.count == 0


@pytest.mark.usefixtures("name_server")
@pytest.mark.parametrize("wire", WIRES)
def test_the_refusal_is_final_and_says_what_to_do(wire: str, dialled: list[Any]) -> None:
    with pytest.raises(ProviderFatal, match="is not called: This address is private. Set ECONEVALS") as refused:
        reached("http://metadata.google.internal/v1", wire=wire).query(request_of())
    assert refused.value.kind == "address" and not dialled


@pytest.mark.parametrize("answers", [["127.0.0.2", "127.0.0.1"], ["127.0.0.2", "127.0.0.2", "127.0.0.1"]])
def test_a_name_that_changes_its_mind_is_asked_once_for_a_connection(answers: list[str], canary: Any) -> None:
    """127.0.0.2 stands for a public address here, the canary's for a private one."""
    asked: list[str] = []

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return [answers[min(len(asked), len(answers)) - 1]]

    port = int(canary.url.rpartition(":")[2])
    policy = AddressPolicy(lambda address: address == "127.0.0.2", resolve)
    with Listener("127.0.0.2", port) as public:
        llm = reached(f"http://rebinding.test:{port}/v1", policy)
        assert llm.query(request_of()).text == "Hi"
        assert asked == ["rebinding.test"] and public.hosts == [f"rebinding.test:{port}"]
        # Its connection is closed, so that the next query has to ask again.
        for _ in answers[1:]:
            with pytest.raises(ProviderFatal) if len(asked) + 1 >= len(answers) else nothing():
                llm.query(request_of())
    assert asked == ["rebinding.test"] * len(answers)
    assert canary.count == 0


class nothing:
    def __enter__(self) -> None: ...

    def __exit__(self, *_: object) -> None: ...


class Listener:
    """A model endpoint on another address of this machine; each connection is for one answer."""

    BODY = b'{"choices": [{"message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"}]}'

    def __init__(self, host: str, port: int):
        self.hosts: list[str] = []
        self._server = socket.create_server((host, port))
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._server.accept()
            except OSError:
                return
            with connection:
                head, _, body = connection.recv(65536).partition(b"\r\n\r\n")
                fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:])
                while len(body) < int(fields["content-length"]):
                    body += connection.recv(65536)
                self.hosts.append(fields["host"])
                length = f"Content-Length: {len(self.BODY)}\r\nConnection: close\r\n\r\n"
                connection.sendall(b"HTTP/1.1 200 OK\r\n" + length.encode() + self.BODY)

    def __enter__(self) -> Listener:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown(socket.SHUT_RDWR)
        self._server.close()


def test_the_certificate_asked_for_is_the_names_not_the_numbers(here: StubProvider) -> None:
    """The name travels in the greeting of the secure connection, which a server without certificates still reads."""
    greeting: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def listen() -> None:
            connection, _ = server.accept()
            with connection:
                greeting.append(connection.recv(65536))

        threading.Thread(target=listen, daemon=True).start()
        policy = AddressPolicy(lambda _: True, lambda host, port: ["127.0.0.1"])
        with pytest.raises(ProviderRetry):
            reached(f"https://named.test:{server.getsockname()[1]}/v1", policy).query(request_of())
    assert b"named.test" in greeting[0]


def test_one_dead_address_leaves_the_others_to_try(here: StubProvider) -> None:
    policy = AddressPolicy(lambda _: True, lambda host, port: ["127.0.0.9", "127.0.0.1"])
    assert reached(f"http://several.test:{port_of(here)}/v1", policy).query(request_of()).text == "Hi"


def test_a_name_without_an_address_is_worth_another_try() -> None:
    """A name server that is away comes back."""

    def resolve(host: str, port: int) -> list[str]:
        raise OSError("Temporary failure in name resolution")

    with pytest.raises(ProviderRetry, match="did not answer: Temporary failure") as failure:
        reached("http://away.test:8080/v1", AddressPolicy(resolve=resolve)).query(request_of())
    assert not failure.value.may_be_billed


def test_clients_of_different_policies_share_no_connection(here: StubProvider, dialled: list[Any]) -> None:
    """A connection that was opened where everything may be reached does not serve whom that is denied."""
    open_minded = connect(LLMOptions("openai-compatible", "m", base_url=f"{here.url}/v1"), "sk-1", None)
    assert open_minded.query(request_of()).text == "Hi"
    opened = len(dialled)
    with pytest.raises(ProviderFatal):
        reached(f"{here.url}/v1").query(request_of())
    assert len(dialled) == opened and here.count == 1


@pytest.mark.usefixtures("name_server")
def test_a_proxy_of_the_site_hears_nothing_of_a_private_host(
    here: StubProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", here.url)
    monkeypatch.delenv("no_proxy", raising=False)
    http_client.cache_clear()
    with pytest.raises(ProviderFatal, match="private"):
        reached("http://metadata.test:8080/v1").query(request_of())
    assert here.count == 0
    with pytest.raises(ProviderFatal):
        reached("http://known-to-the-proxy-only.test:8080/v1").query(request_of())
    assert here.count == 1
