"""A query and its key go only to the configured address."""

import logging
import socket
import traceback

import pytest

from agents.errors import ProviderFatal, ProviderRetry
from agents.options import LLMOptions
from agents.providers.client import Client
from tests.agents.conftest import KEY, request_of
from tests.stub_provider import StubAnswer, StubProvider


@pytest.mark.sampled
@pytest.mark.parametrize("status", [301, 303, 308])
def test_a_redirect_is_not_followed(serve, status):
    with StubProvider(lambda *_: StubAnswer(text="You should not be here.")) as elsewhere:
        for path in ("/v1/messages", "/v1/chat/completions"):
            provider = serve(StubAnswer(status=status, headers={"Location": elsewhere.url + path}))
            caught = provider.failure(ProviderFatal, "redirects to another address")
            assert caught.kind == "address"
        assert elsewhere.count == 0


def test_a_refused_connection_is_not_billed_and_does_not_reveal_a_password(serve):
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        place = f"127.0.0.1:{reserved.getsockname()[1]}"
        caught = serve(StubAnswer()).failure(ProviderRetry, base_url=f"http://{place}/v1")
        secretive = serve(StubAnswer()).failure(ProviderFatal, base_url=f"http://user:secret@{place}")
    assert not caught.may_be_billed
    assert caught.reason.startswith(f"The endpoint http://{place} did not answer: ") and "refused" in caught.reason
    assert "secret" not in secretive.reason


def test_a_failed_handshake_sends_nothing(serve):
    provider = serve()
    address = provider.stub.base_url(provider.wire).replace("http:", "https:")
    caught = provider.failure(ProviderRetry, "did not answer: .*SSL", base_url=address)
    assert not caught.may_be_billed
    assert provider.stub.count == 0


@pytest.mark.parametrize(
    "address", ["file:///etc/passwd", "127.0.0.1:8000", "https://", "http://[::1", "text", "http://a\r\nb/"]
)
def test_invalid_addresses_of_web_servers_are_refused(serve, address):
    assert serve(StubAnswer()).failure(ProviderFatal, base_url=address).kind == "address"


@pytest.mark.parametrize(
    ("serve", "ending"),
    [("anthropic", end) for end in ("", "/", "/v1", "/v1/")] + [("openai", end) for end in ("/v1", "/v1/", "/v1 ")],
    indirect=["serve"],
)
def test_addresses_may_end_in_a_slash_or_lack_the_version(serve, ending):
    provider = serve()
    provider.query(base_url=provider.stub.url + ending)
    assert provider.stub.requests[0].path in ("/v1/messages", "/v1/chat/completions")


def test_cookies_are_not_sent_back(serve):
    provider = serve(StubAnswer(text="Hi", headers={"Set-Cookie": "session=1; Path=/"}))
    provider.query()
    provider.query()
    assert all("cookie" not in request.headers for request in provider.stub.requests)


def test_a_proxy_from_the_environment_is_used(serve, monkeypatch):
    proxy = serve(StubAnswer())
    monkeypatch.setenv("http_proxy", proxy.stub.url)
    monkeypatch.delenv("no_proxy", raising=False)
    proxy.failure(ProviderFatal, base_url=f"http://{proxy.wire}.test/v1")
    assert proxy.stub.requests[0].path.startswith(f"http://{proxy.wire}.test/v1/")


def test_addresses_excepted_from_the_proxy_are_reached_directly(serve, monkeypatch):
    provider = serve()
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    assert provider.query().text == "Hi"


ECHO = f"Incorrect API key provided: {KEY}. The header was 'Authorization: Bearer {KEY}'."
HIDDEN = f"Bad key {KEY[:8]}\u200b{KEY[8:]}"


@pytest.mark.parametrize(("key", "sent"), [(f" {KEY}\n", KEY), ("", "none")])
def test_the_key_is_sent_and_may_be_missing_for_other_endpoints(serve, key, sent):
    provider = serve()
    assert provider.query(key=key).text == "Hi"
    assert provider.stub.requests[0].key == sent


@pytest.fixture
def everything_logged(caplog):
    """The SDKs and the HTTP client at DEBUG too, which the site's settings keep at WARNING."""
    for name in (None, "openai", "anthropic", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)


@pytest.mark.usefixtures("everything_logged")
@pytest.mark.parametrize("status", [200, 302, 401, 429, 500])
@pytest.mark.parametrize("told", [ECHO, HIDDEN, "." * 290 + KEY], ids=["plain", "hidden", "at the cut"])
def test_an_echoed_key_appears_in_no_error_and_no_log(serve, status, told, caplog):
    raw = None if status != 200 else b'{"error": {"message": "%s"}}' % told.encode()
    provider = serve(StubAnswer(status=status, error=told, raw=raw))
    caught = provider.failure((ProviderFatal, ProviderRetry))
    shown = "".join(traceback.format_exception(caught)) + repr(caught) + repr(vars(caught))
    assert KEY not in shown
    assert "canary" not in shown
    assert caught.__cause__ is None and caught.__context__ is None
    assert KEY not in caplog.text


@pytest.mark.usefixtures("everything_logged")
def test_the_key_appears_in_no_log_and_no_representation(serve, caplog):
    llm = serve().llm()
    llm.query(request_of())
    assert caplog.records
    assert KEY not in caplog.text + repr(llm) + str(llm)


def test_a_key_repeated_in_a_reply_is_masked(serve):
    reply = serve(StubAnswer(text=f"My key is {KEY}.", calls=(("get_budget", {"key": KEY}),))).query()
    assert reply.text == "My key is [key]."
    assert reply.calls[0].arguments == {"key": "[key]"}


@pytest.mark.parametrize("key", ["sk-\nX-Evil: 1", "sk-ключ", "sk-\x00"])
def test_a_key_with_invalid_characters_is_refused_before_sending(serve, key):
    provider = serve()
    caught = provider.failure(ProviderFatal, "characters that no key has", key=key)
    assert caught.kind == "key"
    assert provider.stub.count == 0


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_the_providers_own_endpoint_needs_a_key(name, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-server")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-server")
    with pytest.raises(ProviderFatal, match="No key is set") as caught:
        Client(LLMOptions(name, "any-model"), "").query(request_of())
    assert caught.value.kind == "key"


def test_environment_variables_of_the_server_are_not_sent(serve, monkeypatch):
    for name in ("API_KEY", "AUTH_TOKEN", "ADMIN_KEY", "ORG_ID", "PROJECT_ID", "CUSTOM_HEADERS", "BASE_URL"):
        special = {"CUSTOM_HEADERS": "X-Gateway-Secret: of-the-server", "BASE_URL": "http://127.0.0.1:9"}
        for owner in ("ANTHROPIC", "OPENAI"):
            monkeypatch.setenv(f"{owner}_{name}", special.get(name, "of-the-server"))
    provider = serve()
    provider.query()
    assert "of-the-server" not in str(provider.stub.requests[0].headers)
