"""The name of an endpoint is resolved and checked once per connection, and only the checked address is dialled.

Redirects of an endpoint are not followed."""

import socket
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext, suppress

import pytest

from agents.addresses import AddressPolicy
from agents.errors import ProviderFatal, ProviderRetry
from agents.options import LLMOptions
from agents.providers.client import Client
from agents.providers.transport import http_client, is_direct
from tests.agents.conftest import request_of
from tests.security.address_vectors import VECTORS
from tests.stub_provider import StubAnswer, StubProvider

WIRES = {"openai": "openai-compatible", "anthropic": "anthropic"}
STRICT = AddressPolicy()
STATUSES = (301, 302, 303, 307, 308)
TARGETS = [vector for vector in VECTORS if not set(vector) & set("\r\n\x00\x01") and vector.isascii()]


def reached(base_url, policy=STRICT, wire="openai"):
    options = LLMOptions(WIRES[wire], "any-model", base_url=base_url, timeout_seconds=5.0)
    return Client(options, "sk-canary-0123456789abcdef", policy)


def asked(*arguments, **options):
    """The reply of a model to a query."""
    return reached(*arguments, **options).query(request_of())


@pytest.fixture
def here():
    with StubProvider(lambda *_: StubAnswer(text="Hi")) as stub:
        yield stub


def port_of(stub):
    return int(stub.url.rpartition(":")[2])


@pytest.mark.long
@pytest.mark.usefixtures("name_server")
def test_no_vector_gets_a_connection(unreached):
    for vector in VECTORS:
        with pytest.raises((ProviderFatal, ProviderRetry)):
            asked(vector.format(port=unreached))


@pytest.mark.long
@pytest.mark.usefixtures("name_server", "unreached")
@pytest.mark.parametrize("wire", WIRES)
def test_a_refused_address_is_a_final_error_with_advice(wire):
    with pytest.raises(ProviderFatal, match="is not called: This address is private. Set ECONEVALS") as refused:
        asked("http://metadata.google.internal/v1", wire=wire)
    assert refused.value.kind == "address"


@pytest.mark.parametrize("answers", [["127.0.0.2", "127.0.0.1"], ["127.0.0.2", "127.0.0.2", "127.0.0.1"]])
def test_a_rebinding_name_is_resolved_once_per_connection(answers, canary, canary_port):
    """127.0.0.2 represents a public address here, and the canary's a private address."""
    looked_up = []

    def resolve(host, port):
        looked_up.append(host)
        return [answers[min(len(looked_up), len(answers)) - 1]]

    policy = AddressPolicy(lambda address: address == "127.0.0.2", resolve)
    # Its connections are closed, so that each query has to ask again.
    closing = StubAnswer(text="Hi", headers={"Connection": "close"})
    with StubProvider(lambda *_: closing, host="127.0.0.2", port=canary_port) as public:
        llm = reached(f"http://rebinding.test:{canary_port}/v1", policy)
        assert llm.query(request_of()).text == "Hi"
        assert looked_up == ["rebinding.test"]
        assert [request.headers["host"] for request in public.requests] == [f"rebinding.test:{canary_port}"]
        for _ in answers[1:]:
            with pytest.raises(ProviderFatal) if len(looked_up) + 1 >= len(answers) else nullcontext():
                llm.query(request_of())
    assert looked_up == ["rebinding.test"] * len(answers)
    assert canary.count == 0


def test_the_certificate_is_checked_for_the_name_and_not_for_the_address():
    """The name travels in the greeting of the secure connection, which a server without certificates still reads."""
    policy = AddressPolicy(lambda _: True, lambda host, port: ["127.0.0.1"])
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:
        greeting = pool.submit(lambda: server.accept()[0].recv(65536))
        with pytest.raises(ProviderRetry):
            asked(f"https://named.test:{server.getsockname()[1]}/v1", policy)
    assert b"named.test" in greeting.result()


def test_a_dead_address_does_not_prevent_trying_the_others(here):
    policy = AddressPolicy(lambda _: True, lambda host, port: ["127.0.0.9", "127.0.0.1"])
    assert asked(f"http://several.test:{port_of(here)}/v1", policy).text == "Hi"


def test_an_unresolvable_name_is_retried():
    """A name server that is away comes back."""

    def resolve(host, port):
        raise OSError("Temporary failure in name resolution")

    with pytest.raises(ProviderRetry, match="did not answer: Temporary failure") as failure:
        asked("http://away.test:8080/v1", AddressPolicy(resolve=resolve))
    assert not failure.value.may_be_billed


def test_clients_with_different_policies_share_no_connection(here, dialled):
    """A connection that was opened where everything may be reached does not serve whom that is denied."""
    assert asked(f"{here.url}/v1", None).text == "Hi"
    opened = len(dialled)
    with pytest.raises(ProviderFatal):
        asked(f"{here.url}/v1")
    assert len(dialled) == opened and here.count == 1


@pytest.mark.usefixtures("name_server")
def test_a_proxy_of_the_site_gets_no_request_to_a_private_host(here, monkeypatch):
    monkeypatch.setenv("http_proxy", here.url)
    monkeypatch.delenv("no_proxy", raising=False)
    http_client.cache_clear()
    with pytest.raises(ProviderFatal, match="private"):
        asked("http://metadata.test:8080/v1")
    assert here.count == 0
    with pytest.raises(ProviderFatal):
        asked("http://known-to-the-proxy-only.test:8080/v1")
    assert here.count == 1


@pytest.mark.parametrize(
    ("named", "host", "direct"),
    [
        ("127.0.0.0/8", "127.0.0.1", True),
        ("10.0.0.0/8, 192.168.0.0/16", "192.168.7.1", True),
        ("fd00::/8", "fd00::1", True),
        ("127.0.0.0/8", "128.0.0.1", False),
        ("127.0.0.1", "127.0.0.1", True),
        ("example.org", "api.example.org", True),
        ("*", "api.example.org", True),
        ("10.0.0.0/8", "ten.example.org", False),
        ("", "127.0.0.1", False),
    ],
)
def test_hosts_and_networks_excepted_from_the_proxy_are_called_directly(monkeypatch, named, host, direct):
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", named)
    assert is_direct(host) == direct


@pytest.fixture(scope="module")
def pointer():
    """An endpoint that is allowed and sends everybody elsewhere: `to` has status, header and target."""
    to = {}
    with StubProvider(lambda *_: StubAnswer(status=to["status"], headers={to["header"]: to["target"]})) as stub:
        stub.to = to
        yield stub


@pytest.fixture
def only_the_pointer(pointer, canary, dialled):
    """Nothing but the pointer may be connected to."""
    yield
    assert set(dialled) <= {("127.0.0.1", port_of(pointer))}
    assert canary.count == 0


@pytest.mark.long
@pytest.mark.usefixtures("only_the_pointer")
def test_redirects_are_not_followed(pointer, canary_port):
    for place, vector in enumerate(TARGETS):
        pointer.to |= {"target": vector.format(port=canary_port), "status": STATUSES[place % 5], "header": "Location"}
        with pytest.raises(ProviderFatal, match="redirects to another address .* not followed"):
            asked(f"{pointer.url}/v1", None)


@pytest.mark.usefixtures("only_the_pointer")
@pytest.mark.parametrize("status", [200, 201, 300, 304, 305, 306])
@pytest.mark.parametrize(
    "header, target",
    [
        ("Location", "{}"),
        ("Content-Location", "{}"),
        ("Refresh", "0; url={}"),
        ("Link", "<{}>; rel=preload"),
        ("Alt-Svc", 'h2="127.0.0.1:{port}"; ma=60'),
    ],
)
def test_other_headers_with_an_address_are_not_followed(status, header, target, pointer, canary_port):
    target = target.format(f"http://127.0.0.1:{canary_port}/v1", port=canary_port)
    pointer.to |= {"target": target, "status": status, "header": header}
    for wire in WIRES:
        with suppress(ProviderFatal, ProviderRetry):
            asked(pointer.base_url(wire), None, wire)
