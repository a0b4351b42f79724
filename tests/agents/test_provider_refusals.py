"""Parameters that are sent, and refusals of parameters, of queries, and of queries for some time."""

import pytest

from agents.errors import ProviderFatal, ProviderRetry
from agents.options import LLMOptions
from agents.providers.client import Client
from tests.agents.conftest import KEY, refusing, request_of
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
    (403, {"error": {"message": "Bad input.", "code": "data_inspection_failed"}}, "request"),
    (403, "Content violates usage guidelines.", "request"),
    (403, "Blocked by our usage policy.", "request"),
    (403, "prompt is too long: 208310 tokens > 200000 maximum", "context"),
    (403, "Your API key was reported as leaked.", "key"),
    (403, "Your organization has been disabled.", "key"),
    (403, "Key limit exceeded (total limit).", "credit"),
    (403, {"error": {"message": "User quota is not enough.", "code": "insufficient_user_quota"}}, "credit"),
    (429, "Your prepayment credits are depleted.", "credit"),
    (429, "Your project has exceeded its monthly spending cap.", "credit"),
    (429, {"error": {"message": "余额不足或无可用资源包", "code": "1113"}}, "credit"),
    (400, {"error": {"message": "Access denied.", "code": "Arrearage"}}, "credit"),
    (403, {"code": "No permission.", "error": "Your newly created team doesn't have any credits yet."}, "credit"),
    (429, {"error": {"message": "Over.", "type": "exceeded_current_quota_error"}}, "credit"),
    (400, {"error": True, "message": "Insufficient balance"}, "credit"),
    (400, {"error": "Bad Request", "message": "Your credit balance is too low"}, "credit"),
    (404, "Not found", "model"),
    (400, {"error": {"message": "Unknown.", "code": "model_not_found"}}, "model"),
    (404, {"error": {"message": "model 'any-model' not found, try pulling it first"}}, "model"),
    (400, "The model `any-model` has been decommissioned and is no longer supported.", "model"),
    (410, "The model any-model has been retired.", "model"),
    (400, "prompt is too long: 208310 tokens > 200000 maximum", "context"),
    (400, {"error": {"message": "Too long.", "code": "context_length_exceeded", "param": "messages"}}, "context"),
    (400, [{"error": {"message": "The input token count (9) exceeds the maximum number (8)."}}], "context"),
    (400, "This model's maximum prompt length is 131072 but the request contains 537812 tokens.", "context"),
    (413, "Request exceeds the maximum size", "context"),
    (400, "messages.1: all messages must have non-empty content", "request"),
    (422, {"detail": [{"loc": ["body", "messages"], "msg": "field required"}]}, "request"),
    (405, "Method not allowed", "request"),
    (410, "Gone", "request"),
]


@pytest.mark.parametrize(("status", "error", "kind"), CASES, ids=[f"{c[0]}-{c[2]}-{i}" for i, c in enumerate(CASES)])
def test_refusals_are_classified_by_kind(serve, status, error, kind):
    provider = serve(StubAnswer(status=status, error=error))
    caught = provider.failure(ProviderFatal)
    assert caught.kind == kind
    assert f"(status {status}): " in caught.reason
    unknown_model = f"The endpoint {provider.stub.url} does not know the model any-model"
    assert (unknown_model in caught.reason) is (kind == "model")
    assert provider.stub.count == 1


def test_long_messages_are_shortened_and_control_characters_do_not_reach_a_log(serve):
    caught = serve(StubAnswer(status=400, error="far " * 1000)).failure(ProviderFatal)
    assert len(caught.reason) < 400 and caught.reason.endswith("…")
    told = "\x1b[31mred\x1b[0m\r\nnext\x00 \u202eright-to-left \u200bzero \ud800half"
    caught = serve(StubAnswer(status=400, error=told)).failure(ProviderFatal)
    assert caught.reason.endswith(": [31mred[0m next right-to-left zero \ufffdhalf")


@pytest.mark.parametrize("raw", [b"", b"null", b"[]", b"7", b'{"error": null}', b"[" * 50_000, b"\xff\xfe"])
def test_refusals_are_recognised_in_every_shape(serve, raw):
    serve(StubAnswer(status=400, raw=raw)).failure(ProviderFatal, "status 400")


NOON = "Fri, 06 Jun 2025 12:00:00 GMT"


def retry_from(provider):
    caught = provider.failure(ProviderRetry)
    assert provider.stub.count == 1, "only the runner tries again"
    return caught


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({}, None),
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After": "0.5"}, 0.5),
        ({"Retry-After-Ms": "1500", "Retry-After": "2"}, 1.5),
        ({"Retry-After": "Fri, 06 Jun 2025 12:00:30 GMT"}, 30.0),
        ({"Retry-After": "Fri, 06 Jun 2025 11:00:00 GMT"}, 0.0),
        ({"Retry-After": "-3"}, 0.0),
        ({"Retry-After": "999999999"}, 86_400.0),
        ({"Retry-After": "Fri, 06 Jun 2036 12:00:00 GMT"}, 86_400.0),
        ({"Retry-After": "7s"}, 7.0),
        ({"Retry-After": "1h1m1.5s"}, 3661.5),
        ({"Retry-After": "9" * 400 + "s"}, None),
        ({"Retry-After": "soon"}, None),
        ({"Retry-After": "nan"}, None),
        ({"Retry-After": "inf"}, None),
        ({"Retry-After": "Fri, 99 Jun 99999 12:00:00 GMT"}, None),
    ],
)
def test_the_retry_time_is_read_in_every_form(serve, headers, seconds):
    error = retry_from(serve(StubAnswer(status=429, error="Slow down.", headers={"Date": NOON} | headers)))
    assert error.retry_after == seconds
    assert error.reason == "The provider limits the rate of requests (status 429): Slow down."


@pytest.mark.parametrize("status", [408, 409, 425, 429, 498, 500, 502, 503, 504, 520, 529])
def test_temporary_errors_are_retried(serve, status):
    error = retry_from(serve(StubAnswer(status=status, error="Not now.", headers={"Retry-After": "3"})))
    assert error.retry_after == 3.0
    assert f"(status {status}): Not now." in error.reason
    assert error.limited == (status in (429, 498, 503, 529)) and not error.may_be_billed


@pytest.mark.parametrize("status", [429, 500, 503, 529])
def test_errors_that_the_provider_calls_final_wait_for_a_person(serve, status):
    answer = StubAnswer(status=status, error="Not now.", headers={"x-should-retry": "false"})
    assert serve(answer).failure(ProviderFatal, "Not now.").kind == "request"


@pytest.mark.parametrize("status", [400, 403])
def test_a_rate_limit_is_recognised_under_other_statuses(serve, status):
    error = {"error": {"message": "Slow down.", "code": "rate_limit_exceeded"}}
    caught = retry_from(serve(StubAnswer(status=status, error=error, headers={"Retry-After": "3"})))
    assert (caught.kind, caught.retry_after, caught.limited) == ("limit", 3.0, True)


def test_a_rate_limit_that_mentions_quotas_is_still_a_rate_limit(serve):
    told = "You exceeded your current quota, please check your plan and billing details. Please retry in 32 s."
    body = {"error": {"message": told, "status": "RESOURCE_EXHAUSTED"}}
    assert told in retry_from(serve(StubAnswer(status=429, error=body))).reason


def test_a_page_of_html_is_not_quoted(serve):
    error = retry_from(serve(StubAnswer(status=502, raw=b"<html><title>Bad gateway</title></html>")))
    assert error.reason == "The provider failed (status 502)."


@pytest.mark.parametrize(
    ("options", "sent"), [({"temperature": 0.5}, 0.5), ({"temperature": None}, None), ({"reasoning": True}, None)]
)
def test_a_temperature_is_sent_only_if_it_is_set_and_the_model_does_not_reason(serve, options, sent):
    provider = serve()
    provider.query(**options)
    assert provider.sent.get("temperature") == sent


def test_anthropic_always_gets_an_output_cap_that_models_may_lower(serve_anthropic):
    def script(wire, body, headers):
        if body["max_tokens"] > 8192:
            told = "max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for any-model"
            return StubAnswer(status=400, error=told)
        return StubAnswer(text="Hi")

    provider = serve_anthropic(script=script)
    llm = provider.llm()
    llm.query(request_of())
    llm.query(request_of())
    provider.query(max_tokens=512)
    assert [body["max_tokens"] for body in provider.stub.bodies] == [32_000, 8192, 8192, 512]


@pytest.mark.parametrize("most", [512, None])
@pytest.mark.parametrize("reasoning", [False, True])
@pytest.mark.parametrize("provider", ["openai", "openai-compatible"])
def test_the_output_cap_has_the_name_that_the_endpoint_accepts(serve_openai, provider, reasoning, most):
    stub = serve_openai()
    stub.query(provider=provider, reasoning=reasoning, max_tokens=most)
    caps = {key: value for key, value in stub.sent.items() if key.startswith("max_")}
    # DeepSeek, Ollama and Z.ai silently ignore the newer name, also for models that reason.
    name = "max_completion_tokens" if provider == "openai" else "max_tokens"
    assert caps == ({name: most} if most else {})


@pytest.mark.parametrize("refused", [["temperature"], ["tool_choice"], ["temperature", "tool_choice"]], ids=" ".join)
def test_a_client_drops_a_refused_parameter_for_good_and_a_new_client_sends_it(serve, refused):
    provider = serve(script=refusing(*refused))
    first, second = provider.llm(), provider.llm()
    for llm in (first, first, second):
        assert llm.query(request_of()).text == "Hi"
    one_after_the_other = [*range(len(refused), 0, -1), 0]
    sent = [sum(name in body for name in refused) for body in provider.stub.bodies]
    assert sent == [*one_after_the_other, 0, *one_after_the_other]


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"message": "Unsupported value.", "param": "tool_choice", "code": "unsupported_value"}},
        {"detail": [{"loc": ["body", "tool_choice"], "msg": "Input should be 'auto'"}]},
        {"object": "error", "message": "This model does not support this tool choice."},
    ],
    ids=["parameter", "detail", "words"],
)
def test_a_refused_parameter_is_recognised_anywhere_in_the_refusal(serve_openai, error):
    provider = serve_openai(StubAnswer(status=422, error=error), StubAnswer(text="Hi"))
    assert provider.query().text == "Hi"
    assert ["tool_choice" in body for body in provider.stub.bodies] == [True, False]


def test_a_refused_cap_is_sent_under_its_other_name_and_not_dropped(serve_openai):
    told = "Unsupported parameter: '{}' is not supported with this model. Use 'max_completion_tokens' instead."
    provider = serve_openai(script=refusing("max_tokens", error=told))
    provider.query(max_tokens=512)
    assert provider.sent["max_completion_tokens"] == 512
    provider = serve_openai(script=refusing("max_tokens", "max_completion_tokens"))
    provider.failure(ProviderFatal, "takes no output limit", max_tokens=512)
    assert provider.stub.count == 2


def test_a_refusal_of_an_unsent_parameter_ends_the_query(serve):
    provider = serve(StubAnswer(status=400, error="I do not like temperature."))
    assert provider.failure(ProviderFatal, "I do not like temperature").kind == "request"
    assert provider.stub.count == 2


@pytest.mark.parametrize("status", [403, 404, 500, 501])
def test_a_part_refused_by_name_is_dropped_at_every_status(serve, status):
    provider = serve(script=refusing("temperature", status=status))
    assert provider.query().text == "Hi" and provider.stub.count == 2


@pytest.mark.parametrize("status", [401, 402, 429, 503, 529])
def test_an_unrelated_refusal_that_names_a_part_teaches_nothing(serve, status):
    provider = serve(script=refusing("temperature", status=status))
    with pytest.raises(Exception, match="temperature"):
        provider.query()
    assert provider.stub.count == 1


def test_an_unknown_provider_raises_an_error():
    with pytest.raises(KeyError):
        Client(LLMOptions("telepathy", "any-model"), KEY)
