"""A period's chat in the words of each API."""

from __future__ import annotations

import pytest

from agents.llm import Reply, ToolCall, Turn
from tests.agents.conftest import request_of, turn_of
from tests.stub_provider import StubAnswer

EPHEMERAL = {"type": "ephemeral"}
TWO_CALLS = Reply(
    text="Looking.", calls=(ToolCall("c1", "get_budget", {}), ToolCall("c2", "submit_purchase_plan", {"p": "é"}))
)


def without_cache_marks(messages):
    return [
        {**m, "content": [{k: v for k, v in block.items() if k != "cache_control"} for block in m["content"]]}
        for m in messages
    ]


def test_anthropic_gets_results_before_the_prompt_in_one_message(serve_anthropic):
    provider = serve_anthropic(StubAnswer(text="Hi"))
    provider.query(turn_of(TWO_CALLS, "100.00", "No plan.", is_error=True))
    assert without_cache_marks(provider.sent["messages"]) == [
        {"role": "user", "content": [{"type": "text", "text": "Start."}]},
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Looking."},
                {"type": "tool_use", "id": "c1", "name": "get_budget", "input": {}},
                {"type": "tool_use", "id": "c2", "name": "submit_purchase_plan", "input": {"p": "é"}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "c1", "content": "100.00", "is_error": True},
                {"type": "tool_result", "tool_use_id": "c2", "content": "No plan.", "is_error": True},
                {"type": "text", "text": "Now use more tools."},
            ],
        },
    ]


def test_openai_gets_one_message_for_each_result_and_then_the_prompt(serve_openai):
    provider = serve_openai(StubAnswer(text="Hi"))
    provider.query(turn_of(TWO_CALLS, "100.00", "No plan."))
    function = {"name": "submit_purchase_plan", "arguments": '{"p": "é"}'}
    assert provider.sent["messages"] == [
        {"role": "system", "content": "You buy equipment."},
        {"role": "user", "content": "Start."},
        {
            "role": "assistant",
            "content": "Looking.",
            "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "get_budget", "arguments": "{}"}},
                {"id": "c2", "type": "function", "function": function},
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "100.00"},
        {"role": "tool", "tool_call_id": "c2", "content": "No plan."},
        {"role": "user", "content": "Now use more tools."},
    ]


def test_a_result_that_is_no_error_is_not_marked_as_one(serve_anthropic):
    provider = serve_anthropic(StubAnswer(text="Hi"))
    provider.query(turn_of(TWO_CALLS, "100.00", "Fine."))
    assert all("is_error" not in block for block in provider.sent["messages"][-1]["content"])


@pytest.mark.parametrize("text", ["I would rather talk.", "", " \n"])
def test_a_reply_without_a_call_is_followed_by_the_prompt_as_plain_text(serve, text):
    provider = serve(StubAnswer(text="Hi"))
    provider.query(Turn(Reply(text=text), (), "Now use more tools."))
    assistant, user = provider.sent["messages"][-2:]
    assert (assistant["role"], user["role"]) == ("assistant", "user")
    said = assistant["content"] if provider.wire == "openai" else assistant["content"][0]["text"]
    asked = user["content"] if provider.wire == "openai" else user["content"][0]["text"]
    assert said.strip()
    assert asked == "Now use more tools."


def test_calls_without_text_are_sent_back_without_text(serve):
    provider = serve(StubAnswer(text="Hi"))
    provider.query(turn_of(Reply(text="\n", calls=(ToolCall("c1", "get_budget", {}),)), "100.00"))
    if provider.wire == "anthropic":
        assert [block["type"] for block in provider.sent["messages"][1]["content"]] == ["tool_use"]
    else:
        assert not (provider.sent["messages"][2]["content"] or "").strip()


def test_a_call_without_a_result_is_answered_all_the_same(serve):
    provider = serve(StubAnswer(text="Hi"))
    provider.query(Turn(TWO_CALLS, (), "Now use more tools."))
    text = str(provider.sent["messages"])
    assert text.count("'tool_use_id'") + text.count("'tool_call_id'") == 2


def test_the_model_must_call_some_tool(serve):
    provider = serve(StubAnswer(text="Hi"))
    provider.query()
    assert provider.sent["tool_choice"] == ("required" if provider.wire == "openai" else {"type": "any"})


def test_the_tools_are_offered_in_their_order_with_their_schemas(serve):
    provider = serve(StubAnswer(text="Hi"))
    provider.query()
    tools = [tool.get("function", tool) for tool in provider.sent["tools"]]
    assert [tool["name"] for tool in tools] == ["get_budget", "submit_purchase_plan"]
    assert tools[1].get("parameters", tools[1].get("input_schema"))["required"] == ["purchase_plan"]


def test_anthropic_caches_tools_system_prompt_and_the_growing_chat(serve_anthropic):
    provider = serve_anthropic(StubAnswer(text="Hi"))
    turns = [turn_of(TWO_CALLS, "100.00", "No plan.") for _ in range(3)]
    provider.llm().query(request_of(*turns))
    sent = provider.sent
    assert [tool.get("cache_control") for tool in sent["tools"]] == [None, EPHEMERAL]
    assert sent["system"] == [{"type": "text", "text": "You buy equipment.", "cache_control": EPHEMERAL}]
    marked = [
        (i, j)
        for i, message in enumerate(sent["messages"])
        for j, block in enumerate(message["content"])
        if "cache_control" in block
    ]
    assert marked == [(4, 2), (6, 2)], "the last blocks of the last two user messages"


def test_the_chat_only_grows_at_its_end(serve):
    provider = serve(StubAnswer(text="Hi"))
    turns = [turn_of(TWO_CALLS, "100.00", "No plan.") for _ in range(2)]
    provider.query(turns[0])
    provider.query(*turns)
    shorter, longer = (body["messages"] for body in provider.stub.bodies)
    if provider.wire == "anthropic":
        shorter, longer = without_cache_marks(shorter), without_cache_marks(longer)
    assert longer[: len(shorter)] == shorter


def test_an_empty_system_prompt_is_left_out(serve):
    provider = serve(StubAnswer(text="Hi"))
    provider.llm().query(request_of(system=""))
    assert "system" not in provider.sent
    assert provider.sent["messages"][0]["role"] == "user"
