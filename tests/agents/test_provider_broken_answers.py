"""Answers that break, lie or never end are unknown outcomes: worth another try, and possibly billed."""

from __future__ import annotations

import gzip
import json
import tracemalloc
import zlib

import pytest

from agents.errors import ProviderFatal, ProviderRetry
from agents.providers.transport import BodyTooLarge, read_body
from tests.stub_provider import StubAnswer

GOOD = StubAnswer(text="Hi", calls=(("get_budget", {}),))


def reason_of(provider, **options):
    with pytest.raises(ProviderRetry) as caught:
        provider.query(**options)
    assert caught.value.may_be_billed
    assert provider.stub.count == 1
    return caught.value.reason


def test_a_dropped_connection(serve):
    provider = serve(StubAnswer(drop=True))
    assert reason_of(provider) == f"The connection to {provider.stub.url} broke before the answer was complete."


@pytest.mark.parametrize("cut", [0, 1, 50])
def test_a_body_that_is_cut_short(serve, cut):
    assert "broke before the answer was complete" in reason_of(serve(StubAnswer(text="Hi", cut=cut)))


@pytest.mark.parametrize("raw", [b"", b"<html>Welcome</html>", b'{"choices": [', b"\xff\xfe\x00", b"[" * 100_000])
def test_a_body_that_is_not_json(serve, raw):
    provider = serve(StubAnswer(raw=raw))
    assert reason_of(provider) == f"The endpoint {provider.stub.url} answered with text that is not JSON."


@pytest.mark.parametrize("raw", [b"null", b"[]", b'"Hi"', b"7"])
def test_json_that_is_no_object(serve, raw):
    assert "JSON that is not a reply" in reason_of(serve(StubAnswer(raw=raw)))


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Provider returned error", "code": 502}},
        {"error": "Provider returned error"},
        {"type": "error", "error": {"type": "overloaded_error", "message": "Provider returned error"}},
    ],
)
def test_an_error_with_status_200(serve, body):
    reason = reason_of(serve(StubAnswer(raw=json.dumps(body).encode())))
    assert reason.endswith("answered with an error instead of a reply: Provider returned error")


def test_an_error_inside_a_choice(serve_openai):
    choice = {"finish_reason": "error", "error": {"message": "Upstream died"}, "message": {"content": ""}}
    assert "Upstream died" in reason_of(serve_openai(StubAnswer(raw=json.dumps({"choices": [choice]}).encode())))


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"choices": None, "content": None},
        {"choices": [], "content": "Hi"},
        {"choices": [None], "content": [None]},
        {"choices": [{"message": "Hi"}], "content": {"type": "text"}},
    ],
)
def test_a_body_without_a_reply(serve, body):
    assert reason_of(serve(StubAnswer(raw=json.dumps(body).encode()))).endswith("a body that holds no reply.")


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_body_of_more_than_two_megabytes(serve, status):
    provider = serve(StubAnswer(status=status, raw=b'{"a": "' + b"a" * 3_000_000 + b'"}'))
    assert reason_of(provider).endswith("answered with more than 2 MB.")


def test_a_body_that_grows_when_it_is_decoded(serve):
    bomb = gzip.compress(b" " * 50_000_000, mtime=0)
    assert len(bomb) < 100_000
    assert "more than 2 MB" in reason_of(serve(StubAnswer(raw=bomb, headers={"Content-Encoding": "gzip"})))


def test_a_body_that_grows_is_never_held_in_full():
    bomb = gzip.compress(b" " * 50_000_000, mtime=0)
    tracemalloc.start()
    with pytest.raises(BodyTooLarge):
        read_body([bomb], "gzip")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip", "surprise"])
def test_an_encoding_that_was_not_asked_for(serve, encoding):
    assert "cannot be decoded" in reason_of(serve(StubAnswer(text="Hi", headers={"Content-Encoding": encoding})))


@pytest.mark.parametrize(
    "raw", [b"not gzip at all", gzip.compress(b'{"choices": []}', mtime=0)[:-9]], ids=["none", "cut"]
)
def test_a_compressed_body_that_is_broken(serve, raw):
    assert "cannot be decoded" in reason_of(serve(StubAnswer(raw=raw, headers={"Content-Encoding": "gzip"})))


@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_server_that_compresses_unasked_is_understood(serve, encoding, pack):
    body = {"content": [{"type": "text", "text": "Hi"}], "choices": [{"message": {"content": "Hi"}}]}
    packed = pack(json.dumps(body).encode())
    assert serve(StubAnswer(raw=packed, headers={"Content-Encoding": encoding})).query().text == "Hi"


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("charset", ["bz2", "utf-7", "undefined", "no-such"])
def test_the_charset_a_server_claims_is_not_believed(serve, status, charset):
    headers = {"Content-Type": f"application/json; charset={charset}"}
    told = {"error": {"message": "Zażółć"}}
    provider = serve(StubAnswer(status=status, headers=headers, raw=json.dumps(told, ensure_ascii=False).encode()))
    with pytest.raises((ProviderRetry, ProviderFatal), match="Zażółć"):
        provider.query()


@pytest.mark.parametrize("status", [101, 204])
def test_a_success_without_a_body(serve, status):
    reason_of(serve(StubAnswer(status=status, raw=b"")))


def test_the_next_query_works_after_a_broken_one(serve):
    provider = serve(StubAnswer(drop=True), StubAnswer(raw=b"x" * 3_000_000), GOOD)
    for _ in range(2):
        with pytest.raises(ProviderRetry):
            provider.query()
    assert provider.query().text == "Hi"
