"""Which parameters are sent, and what is learnt when one is refused."""

from __future__ import annotations

import pytest

from agents.errors import ProviderFatal
from agents.options import LLMOptions
from agents.providers import connect
from tests.agents.conftest import KEY, request_of
from tests.stub_provider import StubAnswer


def refusing(*parameters, status=400, error="Unsupported parameter: '{}' is not supported with this model."):
    def script(wire, body, headers):
        refused = next((name for name in parameters if name in body), None)
        if refused is None:
            return StubAnswer(text="Hi")
        return StubAnswer(status=status, error=error.format(refused))

    return script


def test_a_temperature_that_is_set_is_sent(serve):
    provider = serve(StubAnswer(text="Hi"))
    provider.query(temperature=0.5)
    assert provider.sent["temperature"] == 0.5


@pytest.mark.parametrize("options", [{"temperature": None}, {"reasoning": True}], ids=["unset", "reasoning"])
def test_no_temperature_is_sent_where_none_is_set_or_the_model_reasons(serve, options):
    provider = serve(StubAnswer(text="Hi"))
    provider.query(**options)
    assert "temperature" not in provider.sent


def test_anthropic_always_gets_an_output_cap(serve_anthropic):
    provider = serve_anthropic(StubAnswer(text="Hi"))
    provider.query()
    provider.query(max_tokens=512)
    assert [body["max_tokens"] for body in provider.stub.bodies] == [20_000, 512]


def test_anthropic_models_with_a_lower_limit_get_their_own(serve_anthropic):
    def script(wire, body, headers):
        if body["max_tokens"] > 8192:
            told = "max_tokens: 20000 > 8192, which is the maximum allowed number of output tokens for any-model"
            return StubAnswer(status=400, error=told)
        return StubAnswer(text="Hi")

    provider = serve_anthropic(script=script)
    llm = provider.llm()
    llm.query(request_of())
    llm.query(request_of())
    assert [body["max_tokens"] for body in provider.stub.bodies] == [20_000, 8192, 8192]


@pytest.mark.parametrize(
    ("provider", "reasoning", "name"),
    [
        ("openai", False, "max_completion_tokens"),
        ("openai", True, "max_completion_tokens"),
        ("openai-compatible", False, "max_tokens"),
        ("openai-compatible", True, "max_completion_tokens"),
    ],
)
def test_the_output_cap_goes_by_the_name_the_endpoint_knows(serve_openai, provider, reasoning, name):
    stub = serve_openai(StubAnswer(text="Hi"))
    stub.query(provider=provider, reasoning=reasoning, max_tokens=512)
    caps = {key: value for key, value in stub.sent.items() if key.startswith("max_")}
    assert caps == {name: 512}


def test_without_a_cap_openai_gets_none(serve_openai):
    stub = serve_openai(StubAnswer(text="Hi"))
    stub.query()
    assert not any(name.startswith("max_") for name in stub.sent)


@pytest.mark.parametrize("parameter", ["temperature", "tool_choice"])
def test_a_refused_parameter_is_dropped_and_stays_dropped(serve, parameter):
    provider = serve(script=refusing(parameter))
    llm = provider.llm()
    assert llm.query(request_of()).text == "Hi"
    assert llm.query(request_of()).text == "Hi"
    assert [parameter in body for body in provider.stub.bodies] == [True, False, False]


def test_several_refused_parameters_are_dropped_one_after_the_other(serve):
    provider = serve(script=refusing("temperature", "tool_choice"))
    assert provider.query().text == "Hi"
    assert provider.stub.count == 3


@pytest.mark.parametrize(
    "error",
    [
        {"error": {"message": "Unsupported value.", "param": "tool_choice", "code": "unsupported_value"}},
        {"detail": [{"loc": ["body", "tool_choice"], "msg": "Input should be 'auto'"}]},
        {"object": "error", "message": "This model does not support this tool choice."},
    ],
    ids=["parameter", "detail", "words"],
)
def test_a_parameter_is_found_wherever_the_refusal_names_it(serve_openai, error):
    provider = serve_openai(StubAnswer(status=422, error=error), StubAnswer(text="Hi"))
    assert provider.query().text == "Hi"
    assert ["tool_choice" in body for body in provider.stub.bodies] == [True, False]


def test_a_refused_cap_is_sent_by_its_other_name(serve_openai):
    told = "Unsupported parameter: '{}' is not supported with this model. Use 'max_completion_tokens' instead."
    provider = serve_openai(script=refusing("max_tokens", error=told))
    provider.query(max_tokens=512)
    assert provider.sent["max_completion_tokens"] == 512


def test_a_cap_refused_by_both_names_is_left_out(serve_openai):
    provider = serve_openai(script=refusing("max_tokens", "max_completion_tokens"))
    provider.query(max_tokens=512)
    assert provider.stub.count == 3


def test_a_parameter_that_is_refused_even_when_it_is_not_sent_ends_the_query(serve):
    provider = serve(StubAnswer(status=400, error="I do not like temperature."))
    with pytest.raises(ProviderFatal, match="I do not like temperature") as caught:
        provider.query()
    assert caught.value.kind == "request"
    assert provider.stub.count == 2


def test_a_new_connection_starts_without_prejudice(serve):
    provider = serve(script=refusing("temperature"))
    provider.query()
    provider.query()
    assert ["temperature" in body for body in provider.stub.bodies] == [True, False, True, False]


def test_a_server_error_that_names_a_parameter_teaches_nothing(serve):
    provider = serve(script=refusing("temperature", status=500))
    with pytest.raises(Exception, match="temperature"):
        provider.query()
    assert provider.stub.count == 1


def test_an_unknown_provider_is_a_mistake_of_the_caller():
    with pytest.raises(KeyError):
        connect(LLMOptions("telepathy", "any-model"), KEY)
