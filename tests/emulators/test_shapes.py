"""Malformed requests that the emulated interfaces refuse."""

import pytest

from tests.emulators.asking import asking, client
from tests.emulators.families import FAMILIES, SERVERS

pytestmark = pytest.mark.long

GPT_41, SOL, OPUS_48, HAIKU_45, OPUS_55 = (
    *("gpt-4.1-2025-04-14", "gpt-6.2-sol", "claude-opus-4-8", "claude-haiku-4-5-20251001"),
    "claude-opus-5-5",
)
SCHEMA = {"type": "object", "properties": {}}


def tool(**changes):
    return {"type": "function", "name": "f", "parameters": SCHEMA, "strict": False} | changes


def spoil(**changes):
    return lambda body: body.update(changes)


def adding(name, *items):
    """Adds items at the end of a list of the body."""
    return lambda body: body[name].extend(items)


def each(body, kind):
    return next(item for item in body["input"] if item.get("type") == kind)


def call(**changes):
    function = {"name": "f", "arguments": "{}"} | changes.pop("function", {})
    return {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function} | changes]}


def user(*blocks):
    return {"messages": [{"role": "user", "content": list(blocks)}]}


def made(block):
    return {"role": "assistant", "content": [block]}


USE = {"type": "tool_use", "id": "t", "name": "f", "input": {}}
STRICT = {"type": "object", "properties": {"a": {}}, "required": ["a"]}
FUNCTION = {"type": "function", "function": {"name": "f"}}

RESPONSES = {
    "a stream": (spoil(stream=True), "does not stream"),
    "another kind of tool": (spoil(tools=[{"type": "web"}]), "Invalid value: 'web'"),
    "a bad name of a tool": (spoil(tools=[tool(name="a b")]), "string does not match pattern"),
    "a tool twice": (spoil(tools=[tool(), tool()]), "Duplicate tool name"),
    "a schema that is no object": (spoil(tools=[tool(parameters={"type": "array"})]), "must be of type 'object'"),
    "a strict tool that allows more": (
        spoil(tools=[tool(strict=True, parameters=STRICT)]),
        "'additionalProperties' is required",
    ),
    "an unknown choice": (spoil(tool_choice="any"), "Invalid value: 'any'"),
    "a nested choice": (spoil(tool_choice={"type": "function", "function": {"name": "f"}}), "Unknown parameter"),
    "no input": (spoil(input=[]), "Missing required parameter: 'input'"),
    "an unknown member of reasoning": (spoil(reasoning={"budget": 1}), "Unknown parameter: 'reasoning.budget'"),
    "an unknown include": (spoil(include=["thoughts"]), "Invalid value: 'thoughts'"),
    "a stranger": (adding("input", {"role": "tool", "content": ""}), "Invalid value: 'tool'"),
    "a message without content": (adding("input", {"role": "user"}), "input[1].content"),
    "an output without text": (adding("input", {"type": "function_call_output", "call_id": "c"}), "input[1].output"),
    "a call without arguments": (
        adding("input", {"type": "function_call", "call_id": "c", "name": "f"}),
        "Missing required parameter: 'input[1].arguments'",
    ),
    "a call with a bad name": (
        adding("input", {"type": "function_call", "call_id": "c", "name": "a b", "arguments": "{}"}),
        "does not match pattern",
    ),
    "a call that was never made": (
        adding("input", {"type": "function_call", "id": "fc_0", "call_id": "c", "name": "f", "arguments": "{}"}),
        "is not as it was sent",
    ),
    "too long a chat": (spoil(instructions="x" * 4_000_000), "exceeds the context window"),
}
CHAT = {
    "no messages": (spoil(messages=[]), "Missing required parameter: 'messages'"),
    "a stranger": (adding("messages", {"role": "model", "content": ""}), "Invalid value: 'model'"),
    "a number as a limit": (spoil(max_tokens="9"), "Invalid value for 'max_tokens'"),
    "no calls in a list": (adding("messages", {"role": "assistant", "content": "", "tool_calls": []}), "got ''"),
    "an empty list of calls": (adding("messages", {"role": "assistant", "content": "I", "tool_calls": []}), "empty"),
    "a call without its id": (adding("messages", call(id=None)), "Missing required parameter"),
    "a call with a bad name": (adding("messages", call(function={"name": "a b"})), "does not match pattern"),
    "a call at the end": (adding("messages", call()), "did not have response messages: c"),
    "a flat choice": (spoil(tool_choice={"type": "function", "name": "get_budget"}), "Unknown parameter"),
    "too long a chat": (adding("messages", {"role": "user", "content": "x" * 4_000_000}), "maximum context length"),
}
MESSAGES = {
    "a stream": (OPUS_48, spoil(stream=True), "does not stream"),
    "no positive limit": (OPUS_48, spoil(max_tokens=0), "greater than or equal to 1"),
    "another tier": (OPUS_48, spoil(service_tier="flex"), "service_tier"),
    "an unknown effort": (OPUS_48, spoil(output_config={"effort": "minimal"}), "Input should be 'low'"),
    "an unknown output": (OPUS_48, spoil(output_config={"length": 1}), "output_config.length: Extra inputs"),
    "too high a temperature": (HAIKU_45, spoil(temperature=1.5), "range: 0..1"),
    "a choice in words": (OPUS_48, spoil(tool_choice="any"), "tool_choice: Input tag"),
    "an unknown mark": (OPUS_48, spoil(cache_control={"type": "ephemeral", "ttl": "2h"}), "cache_control: Input"),
    "too long a chat": (HAIKU_45, spoil(system="x" * 900_000), "prompt is too long"),
    "unknown thinking": (OPUS_48, spoil(thinking={"type": "auto"}), "thinking: Input tag"),
    "an unknown display": (OPUS_48, spoil(thinking={"type": "adaptive", "display": "full"}), "display: Input should"),
    "no budget": (HAIKU_45, spoil(tool_choice={"type": "auto"}, thinking={"type": "enabled"}), "Field required"),
    "a small budget": (HAIKU_45, spoil(thinking={"type": "enabled", "budget_tokens": 9}), "or equal to 1024"),
    "an unknown member of a tool": (
        OPUS_48,
        spoil(tools=[{"name": "f", "input_schema": SCHEMA, "parameters": {}}]),
        "custom.parameters: Extra inputs",
    ),
    "a bad name of a tool": (OPUS_48, spoil(tools=[{"name": "a b", "input_schema": SCHEMA}]), "should match pattern"),
    "a schema without type": (OPUS_48, spoil(tools=[{"name": "f", "input_schema": {}}]), "should be 'object'"),
    "a tool twice": (OPUS_48, spoil(tools=[{"name": "f", "input_schema": SCHEMA}] * 2), "must be unique"),
    "no messages": (OPUS_48, spoil(messages=[]), "at least one message"),
    "a member of a message": (OPUS_48, adding("messages", {"role": "user", "content": "x", "id": 1}), "id: Extra"),
    "an unknown block": (OPUS_48, spoil(**user({"type": "input_text"})), "does not match any of the expected tags"),
    "thinking of a user": (OPUS_48, spoil(**user({"type": "thinking"})), "can only be in `assistant`"),
    "a result of the model": (OPUS_48, adding("messages", made({"type": "tool_result"})), "can only be in `user`"),
    "a bad id of a call": (OPUS_48, adding("messages", made(USE | {"id": "a.b"})), "tool_use.id: String should match"),
    "a bad name of a call": (OPUS_48, adding("messages", made(USE | {"name": "a b"})), "tool_use.name: String should"),
    "arguments in words": (OPUS_48, adding("messages", made(USE | {"input": "{}"})), "valid dictionary"),
    "a result at the beginning": (OPUS_48, spoil(**user({"type": "tool_result", "tool_use_id": "t"})), "unexpected"),
    "the same call twice": (
        HAIKU_45,
        adding("messages", {"role": "assistant", "content": [USE, USE]}),
        "ids must be unique",
    ),
}


def check(asker, spoiled, says):
    body = asker.opening()
    spoiled(body)
    answer = asker.post(body)
    assert answer.status_code == 400
    assert says in answer.json()["error"]["message"]


@pytest.mark.parametrize("what", RESPONSES)
def test_responses_refuse(what):
    with asking(SOL) as asker:
        check(asker, *RESPONSES[what])


@pytest.mark.parametrize("what", CHAT)
def test_chat_refuses(what):
    with asking(GPT_41, wire="chat") as asker:
        check(asker, *CHAT[what])


@pytest.mark.parametrize("what", MESSAGES)
def test_messages_refuse(what):
    model, spoiled, says = MESSAGES[what]
    with asking(model) as asker:
        check(asker, spoiled, says)


def test_disabled_parallel_calls_give_a_single_call():
    with asking(SOL) as asker:
        reply = asker.reply(asker.opening(parallel_tool_calls=False))
        assert sum(item["type"] == "function_call" for item in reply["output"]) == 1
    with asking(GPT_41, wire="chat") as asker:
        reply = asker.reply(asker.opening(parallel_tool_calls=False))
        assert len(reply["choices"][0]["message"]["tool_calls"]) == 1
    with asking(OPUS_48) as asker:
        reply = asker.reply(asker.opening(tool_choice={"type": "any", "disable_parallel_tool_use": True}))
        assert sum(block["type"] == "tool_use" for block in reply["content"]) == 1


def test_enabled_thinking_needs_its_block_at_the_beginning():
    with asking(HAIKU_45) as asker:
        enabled = {"tool_choice": {"type": "auto"}, "thinking": {"type": "enabled", "budget_tokens": 1024}}
        body = asker.opening(**enabled)
        body = asker.after(body, asker.reply(body))
        del body["messages"][1]["content"][0]
        assert "Expected `thinking`" in asker.post(body).json()["error"]["message"]


def test_thinking_of_another_model_is_dropped():
    with asking(OPUS_55) as asker:
        asker.emulator.models["claude-opus-5"] = FAMILIES["claude-opus-5"]
        asker.reply(asker.second() | {"model": "claude-opus-5"})


def test_summaries_may_need_a_verified_organisation():
    with asking(GPT_41) as asker:
        answer = asker.post(asker.opening(reasoning={"summary": "auto"}))
        assert answer.json()["error"]["param"] == "reasoning.summary"


def test_other_addresses_and_bodies_are_refused():
    with asking(SERVERS["vllm"]) as asker:
        assert asker.get("/v1/embeddings").status_code == 404
        assert asker.get("/v1/models").json()["data"][0]["max_model_len"] == 8192
        broken = client().post(f"{asker.emulator.url}/v1/chat/completions", content=b"{")
        assert (broken.status_code, broken.json()["object"]) == (400, "error")
        assert asker.post(asker.opening(model="another")).status_code == 404
