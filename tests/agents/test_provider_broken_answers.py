"""Broken, invalid and endless answers are unknown outcomes: retried and possibly billed."""

import gzip
import json
import tracemalloc
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agents.llm import ProviderFatal, ProviderRetry, Reply
from agents.options import LLMOptions
from agents.providers.client import Client
from agents.providers.complaints import complaint_of
from agents.providers.formats.wire_format import Plan
from agents.providers.makers import WIRES
from agents.providers.transport import BodyTooLarge, read_body
from tests.agents.conftest import KEY, request_of, turn_of
from tests.stub_provider import StubAnswer

GOOD = StubAnswer(text="Hi", calls=(("get_budget", {}),))


def reason_of(provider, **options):
    caught = provider.failure(ProviderRetry, **options)
    assert caught.may_be_billed
    assert provider.stub.count == 1
    return caught.reason


@pytest.mark.parametrize("spoilt", [{"drop": True}, {"cut": 0}, {"cut": 1}, {"cut": 50}], ids=str)
def test_a_dropped_connection_and_a_truncated_body_are_retried(serve, spoilt):
    provider = serve(StubAnswer(text="Hi", **spoilt))
    assert reason_of(provider) == f"The connection to {provider.stub.url} broke before the answer was complete."


@pytest.mark.parametrize("raw", [b"", b"<html>Welcome</html>", b'{"choices": [', b"\xff\xfe\x00", b"[" * 100_000])
def test_a_body_that_is_not_json_is_retried(serve, raw):
    provider = serve(StubAnswer(raw=raw))
    assert reason_of(provider) == f"The endpoint {provider.stub.url} answered with text that is not JSON."


TOLD = "Provider returned error"
AN_ERROR, NO_REPLY = f"an error instead of a reply: {TOLD}", "a body that holds no reply."


@pytest.mark.parametrize(
    ("body", "what"),
    [
        *((body, "JSON that is not a reply.") for body in (None, [], "Hi", 7)),
        ({"error": {"message": TOLD, "code": 502}}, AN_ERROR),
        ({"error": TOLD}, AN_ERROR),
        ({"type": "error", "error": {"type": "api_error", "message": TOLD}}, AN_ERROR),
        ({}, NO_REPLY),
        ({"choices": None, "content": None}, NO_REPLY),
        ({"choices": [], "content": "Hi"}, NO_REPLY),
        ({"choices": [None], "content": [None]}, NO_REPLY),
        ({"choices": [{"message": "Hi"}], "content": {"type": "text"}}, NO_REPLY),
    ],
)
def test_json_that_is_not_a_reply_is_retried(serve, body, what):
    assert reason_of(serve(StubAnswer(raw=json.dumps(body).encode()))).endswith(f"answered with {what}")


def test_an_error_inside_a_choice(serve_openai):
    choice = {"finish_reason": "error", "error": {"message": "Upstream died"}, "message": {"content": ""}}
    assert "Upstream died" in reason_of(serve_openai(StubAnswer(raw=json.dumps({"choices": [choice]}).encode())))


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ({"code": 20012, "message": "Model does not exist.", "data": None}, "model"),
        ({"success": False, "msg": "insufficient balance", "code": 500}, "credit"),
        ({"errors": ["insufficient balance"]}, "credit"),
        ({"object": "error", "message": "Model `m` not found", "type": "NotFoundError", "code": 404}, "model"),
        ({"error": {"error": {"message": "No money", "code": 402}}}, "credit"),
        ({"choices": None, "base_resp": {"status_code": 1026, "status_msg": "input flagged as harmful"}}, "request"),
        ([{"error": {"code": 402, "message": "No money", "status": "FAILED_PRECONDITION"}}], "credit"),
    ],
)
def test_an_error_in_place_of_a_reply_is_recognised_in_every_shape(serve_openai, body, kind):
    caught = serve_openai(StubAnswer(raw=json.dumps(body).encode())).failure(ProviderFatal)
    assert (caught.kind, caught.usage) == (kind, None) and ": {" not in caught.reason


def test_an_overload_with_status_200_counts_as_a_limit(serve):
    body = {"type": "error", "error": {"type": "overloaded_error", "message": TOLD}}
    caught = serve(StubAnswer(raw=json.dumps(body).encode())).failure(ProviderRetry)
    assert caught.limited and not caught.may_be_billed


def test_a_refusal_with_status_200_teaches_like_other_refusals(serve_openai):
    refused = {"error": {"type": "invalid_request_error", "message": "tool_choice is not supported"}}
    provider = serve_openai(StubAnswer(raw=json.dumps(refused).encode()), StubAnswer(text="Hi"))
    assert not provider.query().sent.forced


def test_a_billed_error_is_booked_and_not_retried(serve_openai):
    usage = {"prompt_tokens": 269, "completion_tokens": 30}
    body = {"error": {"code": 400, "message": "temperature is not supported"}, "usage": usage}
    provider = serve_openai(StubAnswer(raw=json.dumps(body).encode()))
    assert provider.failure(ProviderFatal).usage.input_tokens == 269 and provider.stub.count == 1
    client = provider.llm()
    with pytest.raises(ProviderFatal) as caught:
        client.reply(client.wire_request(request_of(), client.learned), body)
    assert caught.value.usage.input_tokens == 269 and not client.learned.refused


def test_a_router_error_includes_the_sentence_of_the_provider_behind_it(serve_openai):
    raw = '{"error": {"message": "tool_choice is not supported"}}'
    behind = {"error": {"message": "Provider returned error", "code": 400, "metadata": {"raw": raw}}}
    provider = serve_openai(
        StubAnswer(status=400, error=behind), StubAnswer(text="Hi"), StubAnswer(status=400, error=behind)
    )
    assert not provider.query().sent.forced
    told = "Provider returned error: tool_choice is not supported"
    assert told in provider.failure(ProviderFatal, extra_parameters={"tool_choice": "any"}).reason


@pytest.mark.parametrize(
    ("finish", "stop"),
    [
        ("max_tokens", "max_tokens"),
        ("model_context_window_exceeded", "max_tokens"),
        ("MAX_TOKENS", "max_tokens"),
        ("content_filter: PROHIBITED_CONTENT", "refusal"),
        ("SAFETY", "refusal"),
        ("function_call_filter: MALFORMED_FUNCTION_CALL", "invalid"),
        ("UNEXPECTED_TOOL_CALL", "invalid"),
        ("eos", "end"),
        ("network_error", "other"),
    ],
)
@pytest.mark.parametrize(
    "message", [{}, {"message": None}, {"message": {"content": ""}}], ids=["none", "null", "empty"]
)
def test_every_finish_reason_is_recognised_with_and_without_a_message(serve_openai, finish, stop, message):
    usage = {"prompt_tokens": 269, "completion_tokens": 12}
    body = {"choices": [{"finish_reason": finish} | message], "usage": usage}
    reply = serve_openai(StubAnswer(raw=json.dumps(body).encode())).query()
    assert (reply.stop, reply.usage.output_tokens, reply.usage.estimated) == (stop, 12, False)


@pytest.mark.parametrize(
    ("wire", "body", "stop"),
    [
        ("messages", {"content": None, "stop_reason": "refusal"}, "refusal"),
        ("messages", {"content": "text"}, "other"),
        ("responses", {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "max_tokens"),
        (
            "responses",
            {"status": "failed", "output": None, "error": {"code": "cyber_policy", "message": "No"}},
            "refusal",
        ),
    ],
)
def test_a_reply_without_content_is_booked_by_its_usage_in_every_format(wire, body, stop):
    body |= {"usage": {"input_tokens": 269, "output_tokens": 12}}
    client = Client(LLMOptions("anthropic" if wire == "messages" else "openai", "m"), KEY, wire=wire)
    reply = client.reply(client.wire_request(request_of(), client.learned), body)
    assert (reply.stop, reply.usage.input_tokens, reply.usage.output_tokens) == (stop, 269, 12)


@pytest.mark.parametrize("status", ["failed", "cancelled", "queued", "in_progress"])
def test_an_unfinished_response_is_retried(status):
    client = Client(LLMOptions("openai", "m"), KEY, wire="responses")
    with pytest.raises(ProviderRetry, match="an error instead of a reply"):
        client.reply(client.wire_request(request_of(), client.learned), {"status": status, "error": None, "output": []})


@pytest.mark.parametrize("status", [200, 400, 500])
def test_a_body_of_more_than_two_megabytes(serve, status):
    provider = serve(StubAnswer(status=status, raw=b'{"a": "' + b"a" * 3_000_000 + b'"}'))
    assert reason_of(provider).endswith("answered with more than 2 MB.")


@pytest.mark.long
def test_a_body_that_expands_on_decoding_is_refused_without_being_held_in_memory():
    bomb = gzip.compress(b" " * 50_000_000, mtime=0)
    assert len(bomb) < 100_000
    tracemalloc.start()
    with pytest.raises(BodyTooLarge):
        read_body([bomb], "gzip")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


@pytest.mark.parametrize(
    ("encoding", "raw"),
    [(encoding, b"{}") for encoding in ("br", "zstd", "gzip, gzip", "surprise")]
    + [("gzip", b"not gzip at all"), ("gzip", gzip.compress(b'{"choices": []}', mtime=0)[:-9])],
)
def test_an_unrequested_or_broken_encoding_is_retried(serve, encoding, raw):
    assert "cannot be decoded" in reason_of(serve(StubAnswer(raw=raw, headers={"Content-Encoding": encoding})))


@pytest.mark.parametrize(("encoding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_an_unrequested_compression_is_decoded(serve, encoding, pack):
    body = {"content": [{"type": "text", "text": "Hi"}], "choices": [{"message": {"content": "Hi"}}]}
    packed = pack(json.dumps(body).encode())
    assert serve(StubAnswer(raw=packed, headers={"Content-Encoding": encoding})).query().text == "Hi"


@pytest.mark.parametrize("status", [200, 400, 500])
@pytest.mark.parametrize("charset", ["utf-7", "no-such"])
def test_the_charset_a_server_claims_is_not_believed(serve, status, charset):
    headers = {"Content-Type": f"application/json; charset={charset}"}
    told = {"error": {"message": "Zażółć"}}
    provider = serve(StubAnswer(status=status, headers=headers, raw=json.dumps(told, ensure_ascii=False).encode()))
    with pytest.raises((ProviderRetry, ProviderFatal), match="Zażółć"):
        provider.query()


@pytest.mark.parametrize("status", [101, 204])
def test_a_success_without_a_body(serve, status):
    reason_of(serve(StubAnswer(status=status, raw=b"")))


def test_a_query_succeeds_after_broken_answers(serve):
    provider = serve(StubAnswer(drop=True), StubAnswer(raw=b"x" * 3_000_000), GOOD)
    for _ in range(2):
        provider.failure(ProviderRetry)
    assert provider.query().text == "Hi"


SCALARS = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5))
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def objects(**fields):
    """Objects with some of the fields, each of them as expected or anything else; or anything instead."""
    return ANYTHING | st.fixed_dictionaries({}, optional={name: kind | ANYTHING for name, kind in fields.items()})


FUNCTION = objects(name=st.text(max_size=9), arguments=st.text(max_size=9) | ANYTHING.map(json.dumps))
CALL = objects(id=st.text(max_size=3), function=FUNCTION, extra_content=ANYTHING)
MESSAGE = objects(content=st.lists(objects(text=st.text())), tool_calls=st.lists(CALL), refusal=st.text())
CHOICE = objects(message=MESSAGE, finish_reason=st.sampled_from(["stop", "length"]), error=ANYTHING)
DETAILS = objects(cached_tokens=SCALARS, reasoning_tokens=SCALARS, thinking_tokens=SCALARS)
USAGE = objects(prompt_tokens=SCALARS, total_tokens=SCALARS, prompt_tokens_details=DETAILS, input_tokens=SCALARS)
BLOCK = objects(
    type=st.sampled_from(["text", "tool_use", "thinking"]), text=SCALARS, id=SCALARS, name=SCALARS, input=ANYTHING
)
BODIES = st.fixed_dictionaries(
    {}, optional={"choices": st.lists(CHOICE), "content": st.lists(BLOCK), "usage": USAGE, "model": SCALARS}
)


@pytest.mark.sampled
@pytest.mark.parametrize("name", WIRES)
@settings(max_examples=60, database=None, derandomize=True)
@given(data=BODIES)
def test_any_body_is_read_stored_and_sent_back(name, data):
    options = LLMOptions("openai", "any-model")
    reply = WIRES[name].read(data, request_of())
    if reply is None:
        return
    assert Reply.from_json(reply.as_json()) == reply
    assert len({call.id for call in reply.calls}) == len(reply.calls)
    request = request_of(turn_of(reply, *("Fine." for _ in reply.calls)))
    json.dumps(WIRES[name].body(Plan(request, options))[0], allow_nan=False)


@settings(max_examples=60, database=None, derandomize=True)
@given(body=st.text() | (objects(error=objects(message=ANYTHING, details=DETAILS)) | ANYTHING).map(json.dumps))
def test_any_complaint_is_read(body):
    complaint = complaint_of(body)
    assert all(isinstance(text, str) for text in (complaint.message, complaint.codes, complaint.parameter))
