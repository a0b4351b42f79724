"""The chat of a period in the format of each API, and thinking that is sent back if the API requires it."""

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


def test_anthropic_gets_results_and_then_the_prompt_in_a_single_message(serve_anthropic):
    provider = serve_anthropic()
    provider.query(turn_of(TWO_CALLS, "100.00", "No plan.", is_error=True))
    start, said, answered = without_cache_marks(provider.sent["messages"])
    assert [message["role"] for message in (start, said, answered)] == ["user", "assistant", "user"]
    assert start["content"] == [{"type": "text", "text": "Start."}]
    assert said["content"] == [
        {"type": "text", "text": "Looking."},
        {"type": "tool_use", "id": "c1", "name": "get_budget", "input": {}},
        {"type": "tool_use", "id": "c2", "name": "submit_purchase_plan", "input": {"p": "é"}},
    ]
    assert answered["content"] == [
        {"type": "tool_result", "tool_use_id": "c1", "content": "100.00", "is_error": True},
        {"type": "tool_result", "tool_use_id": "c2", "content": "No plan.", "is_error": True},
        {"type": "text", "text": "Now use more tools."},
    ]
    provider.query(turn_of(TWO_CALLS, "100.00", "Fine."))
    assert all("is_error" not in block for block in provider.sent["messages"][-1]["content"])


def test_openai_gets_a_message_for_each_result_and_then_the_prompt(serve_openai):
    provider = serve_openai()
    provider.query(turn_of(TWO_CALLS, "100.00", "No plan."))
    functions = {"c1": ("get_budget", "{}"), "c2": ("submit_purchase_plan", '{"p": "é"}')}
    calls = [
        {"id": key, "type": "function", "function": {"name": name, "arguments": arguments}}
        for key, (name, arguments) in functions.items()
    ]
    assert provider.sent["messages"] == [
        {"role": "system", "content": "You buy equipment."},
        {"role": "user", "content": "Start."},
        {"role": "assistant", "content": "Looking.", "tool_calls": calls},
        {"role": "tool", "tool_call_id": "c1", "content": "100.00"},
        {"role": "tool", "tool_call_id": "c2", "content": "No plan."},
        {"role": "user", "content": "Now use more tools."},
    ]


@pytest.mark.parametrize("text", ["I would rather talk.", "", " \n"])
def test_a_reply_without_a_call_is_followed_by_the_prompt_as_plain_text(serve, text):
    provider = serve()
    provider.query(Turn(Reply(text=text), (), "Now use more tools."))
    assistant, user = provider.sent["messages"][-2:]
    assert (assistant["role"], user["role"]) == ("assistant", "user")
    contents = [assistant["content"], user["content"]]
    said, asked = contents if provider.wire == "openai" else [content[0]["text"] for content in contents]
    assert said.strip() and asked == "Now use more tools."


def test_calls_without_text_are_sent_back_without_text(serve):
    provider = serve()
    provider.query(turn_of(Reply(text="\n", calls=(ToolCall("c1", "get_budget", {}),)), "100.00"))
    if provider.wire == "anthropic":
        assert [block["type"] for block in provider.sent["messages"][1]["content"]] == ["tool_use"]
    else:
        assert not (provider.sent["messages"][2]["content"] or "").strip()


def test_a_call_without_a_result_still_gets_an_answer(serve):
    provider = serve()
    provider.query(Turn(TWO_CALLS, (), "Now use more tools."))
    text = str(provider.sent["messages"])
    assert text.count("'tool_use_id'") + text.count("'tool_call_id'") == 2


def test_tools_are_sent_in_order_with_their_schemas_and_a_call_is_required(serve):
    provider = serve()
    provider.query()
    assert provider.sent["tool_choice"] == ("required" if provider.wire == "openai" else {"type": "any"})
    tools = [tool.get("function", tool) for tool in provider.sent["tools"]]
    assert [tool["name"] for tool in tools] == ["get_budget", "submit_purchase_plan"]
    assert tools[1].get("parameters", tools[1].get("input_schema"))["required"] == ["purchase_plan"]


def test_anthropic_caches_tools_system_prompt_and_the_growing_chat(serve_anthropic):
    provider = serve_anthropic()
    turns = [turn_of(TWO_CALLS, "100.00", "No plan.") for _ in range(3)]
    provider.llm().query(request_of(*turns))
    sent = provider.sent
    assert [tool.get("cache_control") for tool in sent["tools"]] == [None, EPHEMERAL]
    assert sent["system"] == [{"type": "text", "text": "You buy equipment.", "cache_control": EPHEMERAL}]
    blocks = [(i, j, block) for i, m in enumerate(sent["messages"]) for j, block in enumerate(m["content"])]
    marked = [(i, j) for i, j, block in blocks if "cache_control" in block]
    assert marked == [(4, 2), (6, 2)], "the last blocks of the last two user messages"


def test_the_chat_only_grows_at_its_end(serve):
    provider = serve()
    turns = [turn_of(TWO_CALLS, "100.00", "No plan.") for _ in range(2)]
    provider.query(turns[0])
    provider.query(*turns)
    shorter, longer = (body["messages"] for body in provider.stub.bodies)
    if provider.wire == "anthropic":
        shorter, longer = without_cache_marks(shorter), without_cache_marks(longer)
    assert longer[: len(shorter)] == shorter


THOUGHT = {"type": "thinking", "thinking": "The budget matters.", "signature": "c2lnbmF0dXJl"}
HIDDEN = {"type": "redacted_thinking", "data": "ZW5jcnlwdGVk"}


def test_thinking_blocks_make_the_round_trip_unchanged_and_in_order(serve_anthropic):
    use = {"type": "tool_use", "id": "t1", "name": "get_budget", "input": {}, "caller": {"type": "direct"}}
    content = (THOUGHT, HIDDEN, {"type": "text", "text": "Looking."}, use, HIDDEN, use | {"id": "t2"})
    provider = serve_anthropic(StubAnswer(blocks=content))
    reply = Reply.from_json(provider.query().as_json())
    assert reply.text == "Looking."
    provider.query(turn_of(reply, "100.00", "100.00"))
    assert provider.sent["messages"][1]["content"] == list(content)


def test_a_reply_with_thinking_only_is_sent_back_with_a_text(serve_anthropic):
    provider = serve_anthropic(StubAnswer(blocks=(THOUGHT,)))
    provider.query(turn_of(provider.query()))
    assert [block["type"] for block in provider.sent["messages"][1]["content"]] == ["thinking", "text"]


def test_reasoning_is_sent_back_to_endpoints_that_may_require_it(serve_openai):
    provider = serve_openai(
        StubAnswer(calls=(("get_budget", {}),), extra={"reasoning_content": "Hm.", "reasoning": "Hm."})
    )
    provider.query(turn_of(provider.query(), "100.00"))
    assistant = provider.sent["messages"][2]
    assert assistant["reasoning_content"] == "Hm." and "reasoning" not in assistant


def test_a_call_without_thinking_goes_back_with_its_empty_reasoning(serve_openai):
    provider = serve_openai(StubAnswer(calls=(("get_budget", {}),), extra={"reasoning_content": ""}))
    provider.query(turn_of(provider.query(), "100.00"))
    assert provider.sent["messages"][2]["reasoning_content"] == ""


def test_signatures_of_single_calls_are_sent_back_with_them(serve_openai):
    signature = {"google": {"thought_signature": "c2ln"}}
    call = {"id": "", "type": "function", "function": {"name": "get_budget", "arguments": "{}"}}
    provider = serve_openai(StubAnswer(extra={"tool_calls": [call | {"extra_content": signature}, call]}))
    reply = Reply.from_json(provider.query().as_json())
    provider.query(turn_of(reply, "100.00", "100.00"))
    replayed = provider.sent["messages"][2]["tool_calls"]
    assert [call.get("extra_content") for call in replayed] == [signature, None]


def test_reasoning_is_not_sent_again_to_an_endpoint_that_refuses_it(serve_openai):
    def script(wire, body, headers):
        if any("reasoning_content" in message for message in body["messages"]):
            return StubAnswer(status=400, error="Unknown field reasoning_content in message 2.")
        return StubAnswer(calls=(("get_budget", {}),), extra={"reasoning_content": "Hm."})

    provider = serve_openai(script=script)
    provider.query(turn_of(provider.query(), "100.00"))
    assert provider.stub.count == 3


@pytest.mark.parametrize(
    "fields",
    [
        {"reasoning": {"text": "I think."}},
        {"reasoning_content": [{"type": "text", "text": "I think."}]},
        {"thinking_blocks": [{"type": "thinking", "thinking": "I think.", "signature": "S"}]},
        {"content": "I think.</think>Hi"},
        {"content": "<thinking>I think.</thinking>Hi"},
        {"content": "<seed:think>I think.</seed:think>\n\nHi"},
        {"content": [{"type": "reasoning", "text": "I think."}, {"type": "text", "text": "Hi"}]},
    ],
    ids=str,
)
def test_thinking_in_every_form_is_read_and_sent_back_unchanged(serve_openai, fields):
    provider = serve_openai(StubAnswer(text="Hi", calls=(("get_budget", {}),), extra=fields))
    reply = provider.query()
    assert (reply.thinking, reply.text) == ("I think.", "Hi")
    provider.query(turn_of(reply, "100.00"))
    sent = provider.sent["messages"][2]
    assert {name: sent[name] for name in fields} == fields


def test_an_explanation_that_the_prompt_requests_is_text_and_not_thinking(serve_openai):
    """The paper's questions about patience ask for it in these tags, and judge the whole answer."""
    answer = "<reasoning>I wait.</reasoning>\n\n<answer>B</answer>"
    reply = serve_openai(StubAnswer(text=answer)).query()
    assert (reply.text, reply.thinking) == (answer, "")
