"""A connection test makes a real tool call and explains the result with advice."""

from dataclasses import replace
from unittest.mock import Mock

import pytest

from runs.models import Agent
from runs.services import agent_test_connection
from tests.stub_provider import StubAnswer, StubProvider

PONG = (("report_sum", {"sum": 42}),)
HTML = b"<html><head><title>Sign in</title></head><body>Please sign in.</body></html>"


TEXT = StubAnswer(text="The sum is 42.")
CALL = StubAnswer(calls=PONG)


@pytest.fixture(params=["openai", "anthropic"])
def tested(request, model_agent):
    """The result of a test against a stub that gives answers in order, the last for ever; and what the stub was sent."""

    def test(*answers, agent=None, **options):
        waiting = list(answers)
        script = answers[0] if callable(answers[0]) else lambda *_: waiting.pop(0) if len(waiting) > 1 else waiting[0]
        with StubProvider(script) as stub:
            found = agent_test_connection(agent=model_agent(stub, request.param, **(agent or {})), **options)
            # The last request is for the model card.
            test.bodies = list(filter(None, stub.bodies))
        return found

    test.wire = request.param
    return test


@pytest.mark.long
def test_a_tool_call_is_a_success(tested):
    found = tested(CALL)
    assert found.ok and found.sentence.startswith("It works: house-1 called the tools in ")
    assert [(call["name"], call["arguments"]) for call in found.details["calls"]] == [*PONG, *PONG]
    assert found.advice == "" and found.details["input_tokens"] > 0
    assert len(tested.bodies) == 2 and "report_sum" in str(tested.bodies[0]["tools"])


@pytest.mark.long
def test_the_result_names_the_model_that_answered(tested):
    assert "house-1-2026-01-31 called the tools" in tested(replace(CALL, model="house-1-2026-01-31")).sentence


@pytest.mark.sampled
@pytest.mark.parametrize(
    "arguments",
    [{"sum": 42}, '{"sum": 42}', {"sum": "42"}, {"sum": 42.0}],
    ids=["number", "JSON text", "text", "float"],
)
def test_arguments_in_any_form_are_read(tested, arguments):
    found = tested(StubAnswer(calls=(("report_sum", arguments),)))
    assert found.ok and found.advice == ""


@pytest.mark.long
def test_a_wrong_sum_does_not_fail_the_test(tested):
    found = tested(StubAnswer(calls=(("report_sum", {"sum": 41}),)))
    assert found.ok and "the sum it reported is wrong" in found.advice


def test_a_single_right_call_among_several_is_enough(tested):
    found = tested(StubAnswer(text="Let me see.", calls=(("add", {"a": 17}), *PONG, *PONG)))
    assert found.ok and len(tested.bodies) == 2
    assert [call["name"] for call in found.details["calls"]] == ["add", "report_sum", "report_sum"] * 2
    assert found.details["text"] == "Let me see."


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("first", "sentence"),
    [
        (TEXT, "with text instead of a tool call"),
        (StubAnswer(), "was empty"),
        (StubAnswer(calls=(("add", {"a": 17}),)), "a tool that it was not offered"),
        (StubAnswer(calls=(("report_sum", "42"),)), "arguments that are not a JSON object"),
        (StubAnswer(calls=(("report_sum", {"total": 42}),)), "without its argument sum"),
    ],
    ids=["text", "nothing", "other tool", "no object", "no argument"],
)
def test_a_model_that_calls_the_tool_on_the_second_request_passes(tested, first, sentence):
    found = tested(first, CALL)
    assert found.ok and found.sentence.startswith("It works when asked twice: house-1 called the tool")
    assert sentence in found.advice and "Runs ask again in the same way" in found.advice
    assert len(tested.bodies) == 2 and "Now report the sum" in str(tested.bodies[1]["messages"][-1])
    assert found.details["text"] == first.text
    assert found.details["calls"][-1]["arguments"] == {"sum": 42}


def test_a_refused_part_is_reported_and_stored_with_the_agent(tested):
    def script(wire, body, headers):
        return StubAnswer(status=400, error="tool_choice is not supported.") if "tool_choice" in body else CALL

    found = tested(script)
    assert found.ok and "The provider refuses a forced call of a tool." in found.advice
    assert Agent.objects.get(model="house-1").learned == {"refused": ["tool_choice"]}


def test_a_refused_effort_fails_the_test_and_lists_the_accepted_efforts(tested):
    refused = {"openai": "reasoning_effort", "anthropic": "output_config"}[tested.wire]

    def script(wire, body, headers):
        told = f"'{refused}' does not support 'low'. Supported values are: 'high', 'max'."
        return StubAnswer(status=400, error=told) if refused in body else CALL

    found = tested(script, agent={"reasoning_effort": "low"})
    assert not found.ok and "It takes 'high', 'max'." in found.sentence


def test_missing_usage_gives_a_warning(tested):
    found = tested(replace(CALL, usage={}))
    assert found.ok and "does not say how many tokens it bills" in found.advice


def test_the_result_includes_the_thinking(tested):
    thought = {"type": "thinking", "thinking": "17 and 25.", "signature": "x"}
    answers = {"openai": replace(CALL, extra={"reasoning_content": "17 and 25."})}
    found = tested(answers.get(tested.wire, replace(CALL, blocks=(thought,))))
    assert found.ok and found.details["thinking"] == "17 and 25."


def test_a_failed_second_question_is_reported_with_the_first_answer(tested):
    found = tested(TEXT, StubAnswer(status=400, error="Expected a tool message."))
    assert not found.ok and "Expected a tool message." in found.sentence and "agent's settings" in found.advice
    assert found.details["text"] == "The sum is 42."


FAILURES = [
    ("wrong key", StubAnswer(status=401, error="Incorrect API key."), "refuses the key", "Enter the right key"),
    ("no credit", StubAnswer(status=402, error="Out of credit."), "no credit left", "Add credit"),
    ("forbidden", StubAnswer(status=403, error="Not for you."), "does not allow this key", "another model"),
    ("unknown model", StubAnswer(status=404, error="No such model."), "does not know the model house-1", "model id"),
    ("short context", StubAnswer(status=413, error="Too long."), "longer than the model", "longer chats"),
    ("redirect", StubAnswer(status=302, headers={"Location": "/x"}), "redirects to another address", "address"),
    ("bad request", StubAnswer(status=400, error="No."), "refuses the request", "agent's settings"),
    ("rate limit", StubAnswer(status=429, error="Slow down."), "limits the rate", "The connection itself works"),
    ("fault", StubAnswer(status=500, error="Oops."), "The provider failed (status 500)", "whether the server runs"),
    ("HTML", StubAnswer(raw=HTML), "answered with text that is not JSON", "whether the server runs"),
    ("cut", StubAnswer(calls=PONG, cut=20), "broke before the answer was complete", "whether the server runs"),
    ("dropped", StubAnswer(drop=True), "broke before the answer was complete", "whether the server runs"),
]
NO_CALL = [
    ("text", TEXT, "text instead of a tool call", "tools switched on"),
    ("nothing", StubAnswer(), "neither text nor a tool call", "tools switched on"),
    (
        "unread",
        StubAnswer(status=400, error="The model did not call a tool"),
        "did not call a tool",
        "tools switched on",
    ),
    ("other tool", StubAnswer(calls=(("add", {"a": 17}),)), "a tool that it was not offered", "tools switched on"),
    ("no object", StubAnswer(calls=(("report_sum", "[42]"),)), "not a JSON object", "tools switched on"),
]


@pytest.mark.sampled
@pytest.mark.parametrize("answer, sentence, advice", [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_a_failure_is_explained_with_advice(tested, answer, sentence, advice):
    found = tested(answer)
    assert not found.ok
    assert sentence in found.sentence and advice in found.advice
    assert "<" not in found.sentence and len(tested.bodies) == 1


@pytest.mark.parametrize("answer, sentence, advice", [row[1:] for row in NO_CALL], ids=[row[0] for row in NO_CALL])
def test_a_model_that_never_calls_the_tool_gets_two_requests_and_an_explanation(tested, answer, sentence, advice):
    found = tested(answer)
    assert not found.ok and len(tested.bodies) == 2
    assert sentence in found.sentence and advice in found.advice


@pytest.mark.parametrize(
    ("stop", "sentence", "advice"),
    [
        ({"openai": "length", "anthropic": "max_tokens"}, "cut off before it called", "Raise the agent's most output"),
        ({"openai": "content_filter", "anthropic": "refusal"}, "refused to answer", "Another model"),
    ],
    ids=["cut off", "refusal"],
)
def test_a_truncated_or_refused_reply_is_explained(tested, stop, sentence, advice):
    found = tested(StubAnswer(text="Well,", stop=stop[tested.wire]))
    assert not found.ok and sentence in found.sentence and advice in found.advice


def test_a_hanging_test_ends_at_its_time_limit(tested):
    found = tested(StubAnswer(hang=True), timeout_seconds=0.5)
    assert not found.ok and "did not finish its answer within 0.5 seconds" in found.sentence


def test_a_slow_model_gets_no_second_request(tested):
    found = tested(replace(TEXT, delay=0.4), timeout_seconds=0.6)
    assert not found.ok and len(tested.bodies) == 1 and "text instead of a tool call" in found.sentence


def test_an_unreachable_server_is_explained(model_agent):
    agent = model_agent(Mock(base_url=lambda wire: "http://127.0.0.1:1/v1"))
    found = agent_test_connection(agent=agent)
    assert not found.ok and "did not answer" in found.sentence and "whether the server runs" in found.advice


def test_a_private_address_is_refused_if_private_endpoints_are_forbidden(model_agent, settings):
    with StubProvider(lambda *_: StubAnswer(calls=PONG)) as stub:
        agent = model_agent(stub)
        settings.ALLOW_PRIVATE_ENDPOINTS = False
        found = agent_test_connection(agent=agent)
        assert stub.count == 0
    assert not found.ok and "This address is private." in found.sentence
