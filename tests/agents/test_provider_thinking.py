"""Thinking is kept and sent back where the API demands it."""

from __future__ import annotations

from agents.llm import Reply
from tests.agents.conftest import turn_of
from tests.stub_provider import StubAnswer

THOUGHT = {"type": "thinking", "thinking": "The budget matters.", "signature": "c2lnbmF0dXJl"}
HIDDEN = {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"}


def test_thinking_blocks_make_the_round_trip_unchanged(serve_anthropic):
    provider = serve_anthropic(StubAnswer(text="Looking.", calls=(("get_budget", {}),), blocks=(THOUGHT, HIDDEN)))
    reply = Reply.from_json(provider.query().as_json())
    assert reply.text == "Looking."
    provider.query(turn_of(reply, "100.00"))
    assert provider.sent["messages"][1]["content"] == [
        THOUGHT,
        HIDDEN,
        {"type": "text", "text": "Looking."},
        {"type": "tool_use", "id": reply.calls[0].id, "name": "get_budget", "input": {}},
    ]


def test_thinking_between_calls_keeps_its_place(serve_anthropic):
    use = {"type": "tool_use", "id": "t1", "name": "get_budget", "input": {}, "caller": {"type": "direct"}}
    content = (THOUGHT, use, HIDDEN, use | {"id": "t2"})
    provider = serve_anthropic(StubAnswer(blocks=content))
    reply = provider.query()
    provider.query(turn_of(reply, "100.00", "100.00"))
    assert provider.sent["messages"][1]["content"] == list(content)


def test_a_reply_of_nothing_but_thinking_is_sent_back_with_a_text(serve_anthropic):
    provider = serve_anthropic(StubAnswer(blocks=(THOUGHT,)))
    provider.query(turn_of(provider.query()))
    assert [block["type"] for block in provider.sent["messages"][1]["content"]] == ["thinking", "text"]


def test_without_thinking_no_blocks_are_kept(serve):
    assert serve(StubAnswer(text="Looking.", calls=(("get_budget", {}),))).query().blocks == ()


def test_reasoning_that_an_endpoint_may_demand_back_is_sent_back(serve_openai):
    provider = serve_openai(
        StubAnswer(calls=(("get_budget", {}),), extra={"reasoning_content": "Hm.", "reasoning": "Hm."})
    )
    provider.query(turn_of(provider.query(), "100.00"))
    assistant = provider.sent["messages"][2]
    assert assistant["reasoning_content"] == "Hm."
    assert "reasoning" not in assistant


def test_signatures_of_single_calls_are_sent_back_with_them(serve_openai):
    signature = {"google": {"thought_signature": "c2ln"}}
    call = {"id": "", "type": "function", "function": {"name": "get_budget", "arguments": "{}"}}
    provider = serve_openai(StubAnswer(extra={"tool_calls": [call | {"extra_content": signature}, call]}))
    reply = Reply.from_json(provider.query().as_json())
    provider.query(turn_of(reply, "100.00", "100.00"))
    replayed = provider.sent["messages"][2]["tool_calls"]
    assert [call.get("extra_content") for call in replayed] == [signature, None]


def test_an_endpoint_that_refuses_reasoning_is_spared_it(serve_openai):
    def script(wire, body, headers):
        if any("reasoning_content" in message for message in body["messages"]):
            return StubAnswer(status=400, error="Unknown field reasoning_content in message 2.")
        return StubAnswer(calls=(("get_budget", {}),), extra={"reasoning_content": "Hm."})

    provider = serve_openai(script=script)
    provider.query(turn_of(provider.query(), "100.00"))
    assert provider.stub.count == 3
