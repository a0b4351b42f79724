"""Where a query goes: to the address given and nowhere else."""

from __future__ import annotations

import socket

import pytest

from agents.errors import ProviderFatal, ProviderRetry
from tests.stub_provider import StubAnswer, StubProvider


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(serve, status):
    with StubProvider(lambda *_: StubAnswer(text="You should not be here.")) as elsewhere:
        for path in ("/v1/messages", "/v1/chat/completions"):
            provider = serve(StubAnswer(status=status, headers={"Location": elsewhere.url + path}))
            with pytest.raises(ProviderFatal, match="redirects to another address") as caught:
                provider.query()
            assert caught.value.kind == "address"
        assert elsewhere.count == 0


def test_nobody_listening_means_nothing_was_sent(serve):
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        origin = f"http://127.0.0.1:{reserved.getsockname()[1]}"
        with pytest.raises(ProviderRetry) as caught:
            serve(StubAnswer()).query(base_url=f"{origin}/v1")
    assert not caught.value.may_be_billed
    assert caught.value.reason.startswith(f"The endpoint {origin} did not answer: ")
    assert "refused" in caught.value.reason


def test_a_failed_handshake_means_nothing_was_sent(serve):
    provider = serve(StubAnswer(text="Hi"))
    address = provider.stub.base_url(provider.wire).replace("http:", "https:")
    with pytest.raises(ProviderRetry, match="did not answer: .*SSL") as caught:
        provider.query(base_url=address)
    assert not caught.value.may_be_billed
    assert provider.stub.count == 0


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "127.0.0.1:8000",
        "https://",
        "http://a\r\nb/",
        "http://[::1",
        "text",
    ],
)
def test_what_is_no_address_of_a_web_server_is_refused(serve, address):
    with pytest.raises(ProviderFatal) as caught:
        serve(StubAnswer()).query(base_url=address)
    assert caught.value.kind == "address"


def test_a_password_in_the_address_is_not_told(serve):
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        with pytest.raises(ProviderRetry) as caught:
            serve(StubAnswer()).query(base_url=f"http://user:secret@127.0.0.1:{reserved.getsockname()[1]}")
    assert "secret" not in caught.value.reason


@pytest.mark.parametrize("ending", ["", "/", "/v1", "/v1/"])
def test_anthropic_addresses_may_hold_the_version_or_not(serve_anthropic, ending):
    provider = serve_anthropic(StubAnswer(text="Hi"))
    provider.query(base_url=provider.stub.url + ending)
    assert provider.stub.requests[0].path == "/v1/messages"


@pytest.mark.parametrize("ending", ["/v1", "/v1/", " "])
def test_openai_addresses_may_end_in_a_slash(serve_openai, ending):
    provider = serve_openai(StubAnswer(text="Hi"))
    provider.query(base_url=provider.stub.base_url("openai") + ending.removeprefix("/v1"))
    assert provider.stub.requests[0].path == "/v1/chat/completions"


def test_cookies_of_one_user_are_not_sent_by_another(serve):
    provider = serve(StubAnswer(text="Hi", headers={"Set-Cookie": "session=1; Path=/"}))
    provider.query()
    provider.query()
    assert all("cookie" not in request.headers for request in provider.stub.requests)


def test_a_proxy_named_in_the_environment_is_used(serve, monkeypatch):
    proxy = serve(StubAnswer())
    monkeypatch.setenv("http_proxy", proxy.stub.url)
    monkeypatch.delenv("no_proxy", raising=False)
    with pytest.raises(ProviderFatal):
        proxy.query(base_url=f"http://{proxy.wire}.test/v1")
    assert proxy.stub.requests[0].path.startswith(f"http://{proxy.wire}.test/v1/")


def test_addresses_excepted_from_the_proxy_are_reached_directly(serve, monkeypatch):
    provider = serve(StubAnswer(text="Hi"))
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert provider.query().text == "Hi"
