"""What only a person can mend ends the query at once, told in plain words."""

from __future__ import annotations

import pytest

from agents.errors import ProviderFatal
from tests.stub_provider import StubAnswer

CASES = [
    (401, "Invalid bearer token", "key"),
    (400, "API key not valid. Please pass a valid API key.", "key"),
    (400, {"error": "Incorrect API key provided: xa***yz.", "code": "Client specified an invalid argument"}, "key"),
    (402, "Insufficient Balance", "credit"),
    (429, {"error": {"message": "Check your plan and billing.", "code": "insufficient_quota"}}, "credit"),
    (429, {"code": "8", "error": "Your team has used all available credits."}, "credit"),
    (429, {"error": {"message": "Over.", "details": {"error_code": "enforced_spend_limit_reached"}}}, "credit"),
    (400, "Your credit balance is too low to access the API.", "credit"),
    (400, "You have reached your specified API usage limits.", "credit"),
    (403, "Your organization may not use this model.", "forbidden"),
    (404, "model: any-model", "model"),
    (400, {"error": {"message": "Unknown.", "code": "model_not_found"}}, "model"),
    (404, {"error": {"message": "model 'any-model' not found, try pulling it first"}}, "model"),
    (400, "prompt is too long: 208310 tokens > 200000 maximum", "context"),
    (400, {"error": {"message": "Too long.", "code": "context_length_exceeded", "param": "messages"}}, "context"),
    (400, [{"error": {"message": "The input token count (9) exceeds the maximum number (8)."}}], "context"),
    (413, "Request exceeds the maximum size", "context"),
    (400, "messages.1: all messages must have non-empty content", "request"),
    (422, {"detail": [{"loc": ["body", "messages"], "msg": "field required"}]}, "request"),
    (405, "Method not allowed", "request"),
    (410, "Gone", "request"),
]


@pytest.mark.parametrize(("status", "error", "kind"), CASES, ids=[f"{c[0]}-{c[2]}-{i}" for i, c in enumerate(CASES)])
def test_a_refusal_is_told_by_its_kind(serve, status, error, kind):
    provider = serve(StubAnswer(status=status, error=error))
    with pytest.raises(ProviderFatal) as caught:
        provider.query()
    assert caught.value.kind == kind
    assert f"(status {status}): " in caught.value.reason
    assert provider.stub.count == 1


def test_an_unknown_model_is_named_with_the_endpoint(serve):
    provider = serve(StubAnswer(status=404, error="Not found"))
    with pytest.raises(ProviderFatal) as caught:
        provider.query()
    assert f"The endpoint {provider.stub.url} does not know the model any-model" in caught.value.reason


def test_long_messages_are_shortened(serve):
    with pytest.raises(ProviderFatal) as caught:
        serve(StubAnswer(status=400, error="far " * 1000)).query()
    assert len(caught.value.reason) < 400
    assert caught.value.reason.endswith("…")


def test_control_characters_do_not_reach_a_log(serve):
    told = "\x1b[31mred\x1b[0m\r\nnext\x00 \u202eright-to-left \u200bzero \ud800half"
    with pytest.raises(ProviderFatal) as caught:
        serve(StubAnswer(status=400, error=told)).query()
    assert caught.value.reason.endswith(": [31mred[0m next right-to-left zero \ufffdhalf")


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b"7", b'{"error": null}', b"[" * 50_000, b"\xff\xfe"])
def test_a_refusal_in_any_shape_is_a_refusal(serve, raw):
    with pytest.raises(ProviderFatal, match="status 400"):
        serve(StubAnswer(status=400, raw=raw)).query()
