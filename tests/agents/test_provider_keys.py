"""The key goes to the endpoint and nowhere else."""

from __future__ import annotations

import logging
import traceback

import pytest

from agents.errors import ProviderFatal, ProviderRetry
from agents.options import LLMOptions
from agents.providers import connect
from tests.agents.conftest import KEY, request_of
from tests.stub_provider import StubAnswer

ECHO = f"Incorrect API key provided: {KEY}. The header was 'Authorization: Bearer {KEY}'."
HIDDEN = f"Bad key {KEY[:8]}\u200b{KEY[8:]}"


def test_the_key_is_sent(serve):
    provider = serve(StubAnswer(text="Hi"))
    provider.query(key=f" {KEY}\n")
    assert provider.stub.requests[0].key == KEY


@pytest.fixture
def everything_logged(caplog):
    """The SDKs and the HTTP client at DEBUG too, which the site's settings keep at WARNING."""
    for name in (None, "openai", "anthropic", "httpx2", "httpcore2"):
        caplog.set_level(logging.DEBUG, logger=name)


@pytest.mark.usefixtures("everything_logged")
@pytest.mark.parametrize("status", [200, 302, 400, 401, 403, 404, 429, 500])
@pytest.mark.parametrize("told", [ECHO, HIDDEN, "." * 290 + KEY], ids=["plain", "hidden", "at the cut"])
def test_an_echoed_key_is_in_no_error_and_no_log(serve, status, told, caplog):
    raw = None if status != 200 else b'{"error": {"message": "%s"}}' % told.encode()
    provider = serve(StubAnswer(status=status, error=told, raw=raw))
    with pytest.raises((ProviderFatal, ProviderRetry)) as caught:
        provider.query()
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value) + repr(vars(caught.value))
    assert KEY not in shown
    assert "canary" not in shown
    assert caught.value.__cause__ is None and caught.value.__context__ is None
    assert KEY not in caplog.text


@pytest.mark.usefixtures("everything_logged")
def test_the_key_is_in_no_log_of_an_ordinary_query(serve, caplog):
    serve(StubAnswer(text="Hi")).query()
    assert caplog.records
    assert KEY not in caplog.text


def test_the_key_is_not_in_the_object_as_it_prints(serve):
    llm = serve(StubAnswer(text="Hi")).llm()
    llm.query(request_of())
    assert KEY not in repr(llm) + str(llm)


def test_a_reply_that_repeats_the_key_does_not_hold_it(serve):
    reply = serve(StubAnswer(text=f"My key is {KEY}.", calls=(("get_budget", {"key": KEY}),))).query()
    assert reply.text == "My key is [key]."
    assert reply.calls[0].arguments == {"key": "[key]"}


@pytest.mark.parametrize("key", ["sk-\nX-Evil: 1", "sk-ключ", "sk-\x00"])
def test_a_key_that_cannot_be_one_is_refused_before_anything_is_sent(serve, key):
    provider = serve(StubAnswer(text="Hi"))
    with pytest.raises(ProviderFatal, match="characters that no key has") as caught:
        provider.query(key=key)
    assert caught.value.kind == "key"
    assert provider.stub.count == 0


def test_an_endpoint_of_ones_own_needs_no_key(serve):
    provider = serve(StubAnswer(text="Hi"))
    assert provider.query(key="").text == "Hi"
    assert provider.stub.requests[0].key == "none"


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_the_providers_own_endpoint_needs_a_key(name, monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-the-server")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-the-server")
    with pytest.raises(ProviderFatal, match="No key is set") as caught:
        connect(LLMOptions(name, "any-model"), "").query(request_of())
    assert caught.value.kind == "key"


def test_nothing_of_the_servers_own_environment_is_sent(serve, monkeypatch):
    for name in (
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "OPENAI_API_KEY",
        "OPENAI_ADMIN_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
    ):
        monkeypatch.setenv(name, "of-the-server")
    for name in ("ANTHROPIC_CUSTOM_HEADERS", "OPENAI_CUSTOM_HEADERS"):
        monkeypatch.setenv(name, "X-Gateway-Secret: of-the-server")
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9")
    provider = serve(StubAnswer(text="Hi"))
    provider.query()
    assert "of-the-server" not in str(provider.stub.requests[0].headers)
