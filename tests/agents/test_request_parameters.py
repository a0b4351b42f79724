"""The reasoning effort, the output limit and the extra parameters: what is sent, refused and forbidden."""

import pytest

from agents.errors import ProviderFatal
from agents.options import MOST_BYTES, LLMOptions, parameters_error
from tests.agents.conftest import refusing, request_of
from tests.stub_provider import StubAnswer

EFFORT = {"anthropic": ("output_config", {"effort": "low"}), "openai": ("reasoning_effort", "low")}


def test_the_effort_has_the_name_of_each_api_and_is_not_sent_by_default(serve):
    provider = serve()
    name, value = EFFORT[provider.wire]
    provider.query(reasoning_effort="low")
    assert provider.sent[name] == value
    provider.query()
    assert name not in provider.sent


REFUSALS = [
    ("anthropic", "This model does not support the effort parameter."),
    ("anthropic", "output_config: Extra inputs are not permitted"),
    ("openai", "Unsupported value: 'reasoning_effort' does not support 'low' with this model."),
    ("openai", '"house" does not support thinking'),
    ("openai", {"error": {"message": "Unknown.", "param": "reasoning_effort"}}),
]


@pytest.mark.parametrize(("wire", "told"), REFUSALS)
def test_an_effort_set_by_a_person_is_never_dropped(request, wire, told):
    name, _ = EFFORT[wire]
    provider = request.getfixturevalue(f"serve_{wire}")(script=refusing(name, error=told))
    refusal = provider.failure(ProviderFatal, reasoning_effort="low")
    assert refusal.kind == "request" and "any-model does not take the reasoning effort 'low'." in refusal.reason
    assert provider.stub.count == 1


@pytest.mark.parametrize(
    ("wire", "error", "values"),
    [
        (
            "openai",
            "Unsupported value: 'reasoning_effort' does not support 'low' with this model. "
            "Supported values are: 'medium', 'high', and 'xhigh'.",
            "It takes 'medium', 'high', and 'xhigh'.",
        ),
        ("anthropic", "output_config.effort: Input should be one of: high, max", "It takes high, max."),
        (
            "openai",
            {"detail": [{"loc": ["body", "reasoning_effort"], "msg": "Input should be 'medium' or 'high'"}]},
            "It takes 'medium' or 'high'.",
        ),
        ("openai", "Thinking level low is not supported with [key]", "says: Thinking level low is not supported with"),
    ],
)
def test_a_refused_effort_is_reported_with_the_accepted_efforts(request, wire, error, values):
    name, _ = EFFORT[wire]
    provider = request.getfixturevalue(f"serve_{wire}")(script=refusing(name, error=error))
    assert values in provider.failure(ProviderFatal, reasoning_effort="low").reason


WINDOW = [
    "This model's maximum context length is {0} tokens. However, you requested {1} tokens ({2} in the messages, {3} in the "
    "completion). Please reduce the length of the messages or completion.",
    "This model's maximum context length is {0} tokens. However, you requested {3} output tokens and your prompt contains "
    "at least {2} input tokens, for a total of at least {1} tokens.",
    "Requested token count exceeds the model's maximum context length of {0} tokens. You requested a total of {1} tokens: "
    "{2} tokens from the input messages and {3} tokens for the completion.",
    "Prompt contains {2} tokens, too large for model with {0} maximum context length; requested {3} output",
    "`inputs` tokens + `max_new_tokens` must be <= {0}. Given: {2} `inputs` tokens and {3} `max_new_tokens`",
    "input length and `max_tokens` exceed context limit: {2} + {3} > {0}, decrease input length or `max_tokens`",
]


@pytest.mark.parametrize("told", WINDOW)
@pytest.mark.parametrize(("read", "learned"), [(752, 24_012), (30_000, None)])
def test_a_lowered_limit_leaves_room_for_the_input_of_its_chat_only(serve_openai, told, read, learned):
    def script(wire, body, headers):
        size, limit = 32_768, body["max_tokens"]
        too_large = StubAnswer(status=400, error=told.format(size, read + limit, read, limit))
        return too_large if read + limit > size else StubAnswer(text="Hi")

    provider = serve_openai(script=script)
    llm = provider.llm(max_tokens=20_000 if learned is None else 200_000)
    assert llm.query(request_of()).sent.max_tokens == int((32_768 - read) * 0.75)
    assert llm.learned.most_output == learned and provider.stub.count == 2


@pytest.mark.parametrize(
    ("most", "told"),
    [
        (8192, "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"),
        (131_072, "max_tokens 参数非法：取值范围 [1,131072]"),
        (65_536, "max_tokens (200,000) cannot exceed 65,536"),
        (8192, "max_tokens should be between 1 and 8192"),
    ],
)
def test_an_out_of_range_limit_is_lowered_to_the_maximum(serve_openai, most, told):
    refused = StubAnswer(status=400, error=told)
    script = lambda wire, body, headers: refused if body["max_tokens"] > most else StubAnswer(text="Hi")  # noqa: E731
    assert serve_openai(script=script).query(max_tokens=200_000).sent.max_tokens == most


@pytest.mark.parametrize(
    ("told", "kind"),
    [
        ("max_tokens must be greater than thinking.budget_tokens", "request"),
        ("Invalid 'max_tokens': integer below minimum value. Expected a value >= 16, but got 8 instead.", "request"),
        (
            "'max_tokens' is too large: 300. The context length is 8192 and you sent 8000 (300 > 8192 - 8000).",
            "context",
        ),
    ],
)
def test_a_limit_that_cannot_be_lowered_is_reported_in_the_providers_words(serve, told, kind):
    caught = serve(StubAnswer(status=400, error=told)).failure(ProviderFatal, max_tokens=300)
    assert told in caught.reason and caught.kind == kind


def test_tools_are_not_forced_if_extra_parameters_switch_thinking_on(serve_anthropic):
    told = "Thinking may not be enabled when tool_choice forces tool use."
    provider = serve_anthropic(script=refusing("tool_choice", error=told))
    provider.query(extra_parameters={"thinking": {"type": "adaptive"}}, reasoning_effort="high")
    assert provider.sent["thinking"] == {"type": "adaptive"} and provider.sent["output_config"] == {"effort": "high"}


def test_extra_parameters_are_sent_with_every_request_and_override_nothing(serve):
    provider = serve()
    llm = provider.llm(extra_parameters={"top_p": 0.9, "seed": 7, "model": "another"})
    llm.query(request_of())
    llm.query(request_of())
    for body in provider.stub.bodies:
        assert (body["top_p"], body["seed"], body["model"]) == (0.9, 7, "any-model")


@pytest.mark.parametrize("refused", ["top_p", "output_config", "reasoning_effort"])
def test_a_refused_extra_parameter_is_reported_and_not_dropped(serve, refused):
    provider = serve(script=refusing(refused))
    found = provider.failure(ProviderFatal, extra_parameters={refused: "max"})
    assert refused in found.reason and provider.stub.count == 1


def test_options_with_extra_parameters_can_be_compared_and_hashed():
    """Clients are cached by their options."""
    first, same, other = (LLMOptions("openai", "m", extra_parameters={"top_p": top}) for top in (0.9, 0.9, 0.8))
    assert first == same and hash(first) == hash(same) and first != other
    assert first.as_json()["extra_parameters"] == {"top_p": 0.9}


def test_allowed_extra_parameters_give_no_error():
    for parameters in (
        {},
        {"top_p": 0.9, "seed": 7, "logit_bias": {"50256": -100}},
        {"thinking": {"type": "enabled", "budget_tokens": 4096}},
        {"reasoning_effort": "minimal"},
        {"prompt_cache_key": "pricing", "parallel_tool_calls": False},
        {"provider": {"order": ["a", "b"]}, "user": "sk"},
    ):
        assert parameters_error(parameters) == "", parameters


WRONG = [
    ({"temperature": 1}, "temperature is set by EconEvals or by a field of its own"),
    ({"Tools": []}, "Tools is set by EconEvals"),
    ({"max_completion_tokens": 9}, "max_completion_tokens is set"),
    ({"n": 2}, "n is set"),
    ({"models": ["a"]}, "models is set"),
    ({"authorization": "x"}, "authorization looks like a key"),
    ({"service_tier": "priority"}, "service_tier priority costs more than the prices of the agent say"),
    ({"speed": "fast"}, "speed fast costs more"),
    ({"a": [{"X-API-Key": "x"}]}, "X-API-Key looks like a key"),
    ({"auth": {"access_token": "x"}}, "access_token looks like a key"),
    ({"user": "sk-proj-0123456789abcdef"}, "user looks like a key"),
    ({"headers": ["Bearer abc"]}, "headers looks like a key"),
    ({"a": "x" * 9 * 1024}, "at most 8,192 bytes as JSON; these have 9,225."),
    ({"a": "\x00"}, "cannot be stored"),
    ({"\ud800": 1}, "cannot be stored"),
]


@pytest.mark.parametrize(("parameters", "sentence"), WRONG)
def test_forbidden_extra_parameters_get_a_sentence(parameters, sentence):
    assert sentence in parameters_error(parameters)


def test_extra_parameters_may_not_set_the_effort_again():
    for name in ("reasoning_effort", "output_config"):
        assert f"Leave {name} out here" in parameters_error({name: "max"}, "low")


def test_the_limit_counts_bytes():
    room = MOST_BYTES - len('{"a": ""}')
    assert parameters_error({"a": "x" * room}) == ""
    assert "these have 8,193." in parameters_error({"a": "x" * (room + 1)})
    assert "these have 8,19" in parameters_error({"a": "é" * (room // 2 + 1)})
