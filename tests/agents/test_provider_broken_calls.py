"""Calls that no program could have written are told as broken, and never sent back as they came."""

from __future__ import annotations

import json

import pytest

from agents.llm import Reply, ToolCall
from tests.agents.conftest import request_of, turn_of
from tests.stub_provider import StubAnswer

BROKEN = [
    '{"purchase_plan": ',
    "[1, 2]",
    '"text"',
    "null",
    '{"a": NaN}',
    '{"a": 1e999}',
    '{"a": ' + "9" * 5000 + "}",
    "[" * 100_000,
    '{"a": 1, "a": 2}',
    '{"a": ' + "[" * 64 + "]" * 64 + "}",
    '{"a":' * 5000 + "1" + "}" * 5000,
]


@pytest.mark.parametrize("raw", BROKEN, ids=lambda raw: raw[:16])
def test_arguments_that_are_no_json_object_are_kept_as_text(serve_openai, raw):
    call = serve_openai(StubAnswer(calls=(("submit_purchase_plan", raw),))).query().calls[0]
    assert (call.arguments, call.raw) == (None, raw)


@pytest.mark.parametrize(
    "value", ["{'Offer_1': 2}", [1, 2], float("inf"), 10**5000], ids=["text", "list", "inf", "long"]
)
def test_input_that_is_no_object_is_kept_as_text(serve_anthropic, value):
    provider = serve_anthropic(StubAnswer(raw=_message(_digits(value))))
    call = provider.query().calls[0]
    assert call.arguments is None
    assert call.raw


def _digits(value: object) -> str:
    return "1" + "0" * 5000 if isinstance(value, int) else json.dumps(value)


def _message(value: str) -> bytes:
    use = f'{{"type": "tool_use", "id": "toolu_1", "name": "submit_purchase_plan", "input": {value}}}'
    return f'{{"type": "message", "model": "m", "stop_reason": "tool_use", "content": [{use}]}}'.encode()


@pytest.mark.parametrize("arguments", ["", "  ", "{}"])
def test_no_arguments_at_all_are_an_empty_object(serve_openai, arguments):
    assert serve_openai(StubAnswer(calls=(("get_budget", arguments),))).query().calls[0].arguments == {}


def test_arguments_that_come_parsed_are_taken_as_they_are(serve_openai):
    function = {"name": "get_budget", "arguments": {"currency": "dollars"}}
    provider = serve_openai(StubAnswer(extra={"tool_calls": [{"id": "1", "function": function}]}))
    assert provider.query().calls[0].arguments == {"currency": "dollars"}


def test_a_broken_call_is_replayed_with_an_empty_object(serve):
    provider = serve(StubAnswer(text="Hi"))
    reply = Reply(calls=(ToolCall("call_1", "submit_purchase_plan", None, "{broken"),))
    provider.query(turn_of(reply, "These are no arguments: {broken", is_error=True))
    replayed = provider.sent["messages"][2 if provider.wire == "openai" else 1]
    if provider.wire == "openai":
        assert replayed["tool_calls"][0]["function"] == {"name": "submit_purchase_plan", "arguments": "{}"}
    else:
        assert replayed["content"][0]["input"] == {}


def test_a_name_that_no_tool_can_have_is_replayed_in_a_form_the_api_takes(serve):
    provider = serve(StubAnswer(calls=(("functions.get budget!", {}),)))
    reply = provider.query()
    assert reply.calls[0].name == "functions.get budget!"
    provider.query(turn_of(reply, "There is no such tool.", is_error=True))
    assert '"functions_get_budget_"' in json.dumps(provider.sent["messages"])


@pytest.mark.parametrize("ids", [(None, None), ("", ""), ("same", "same")], ids=["none", "empty", "repeated"])
def test_calls_without_an_id_of_their_own_get_one(serve, ids):
    reply = serve(StubAnswer(calls=(("get_budget", {}), ("get_budget", {})), ids=ids)).query()
    first, second = (call.id for call in reply.calls)
    assert first and second and first != second


def test_an_id_that_an_earlier_reply_used_is_replaced(serve):
    provider = serve(StubAnswer(calls=(("get_budget", {}),), ids=("0",)))
    first = provider.query()
    second = provider.llm().query(request_of(turn_of(first, "100.00")))
    assert first.calls[0].id == "0"
    assert second.calls[0].id not in ("", "0")


def test_half_a_character_does_not_break_the_next_query(serve):
    provider = serve(StubAnswer(text="\ud83d half", calls=(("submit_purchase_plan", {"purchase_plan": "\ud83d"}),)))
    reply = provider.query()
    assert reply.text == "\ufffd half"
    assert reply.calls[0].arguments == {"purchase_plan": "\ufffd"}
    provider.query(turn_of(reply, "No plan."))
    assert provider.stub.count == 2


def test_parts_of_a_reply_that_are_no_calls_are_passed_over(serve_openai):
    provider = serve_openai(StubAnswer(text="Hi", extra={"tool_calls": [None, 7, {"id": 3, "function": None}]}))
    calls = provider.query().calls
    assert [(call.name, call.arguments) for call in calls] == [("", {})]
