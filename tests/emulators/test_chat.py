"""What the emulated Chat Completions interfaces refuse, and what they answer."""

from dataclasses import replace

import pytest

from tests.emulators.asking import asking
from tests.emulators.families import FAMILIES, SERVERS

pytestmark = pytest.mark.long

GPT_41, GPT_54, GPT_56, SOL = "gpt-4.1-2025-04-14", "gpt-5.4", "gpt-5.6-sol", "gpt-6.2-sol"
GEMINI, DEEPSEEK, KIMI, QWEN, MISTRAL = (
    *("gemini-4-argon", "deepseek-v4-pro", "kimi-k3.1-pro", "qwen3.8-max"),
    "mistral-large-4",
)


def spoil(**changes):
    return lambda body: body.update(changes)


def assistant(body):
    return next(message for message in body["messages"] if message["role"] == "assistant")


OPENINGS = {
    "an unknown field": (GPT_41, spoil(instructions=""), 400, "Unknown parameter: 'instructions'"),
    "tools with reasoning": (SOL, spoil(), 400, "use /v1/responses or set reasoning_effort to 'none'"),
    "tools with an effort": (GPT_54, spoil(reasoning_effort="low"), 400, "/v1/responses"),
    "an effort of none": (SOL, spoil(reasoning_effort="none"), 400, "'reasoning_effort' does not support 'none'"),
    "a temperature": (
        GPT_56,
        spoil(temperature=1, reasoning_effort="none"),
        400,
        "Unsupported parameter: 'temperature'",
    ),
    "the older limit": (GPT_54, spoil(max_tokens=9), 400, "Use 'max_completion_tokens' instead"),
    "too large a limit": (GPT_41, spoil(max_tokens=99_999), 400, "max_tokens is too large: 99999"),
    "two limits": (GPT_41, spoil(max_tokens=9, max_completion_tokens=9), 400, "at the same time"),
    "an empty list of tools": (GPT_41, spoil(tools=[]), 400, "[] is too short - 'tools'"),
    "a choice without tools": (GPT_41, lambda body: body.pop("tools"), 400, "only allowed when 'tools'"),
    "flat tools": (GPT_41, spoil(tools=[{"type": "function", "name": "x"}]), 400, "'tools[0].function'"),
    "a forced call while thinking": (DEEPSEEK, spoil(tool_choice="required"), 400, "does not support this tool_choice"),
    "a forced call on Qwen": (QWEN, spoil(tool_choice="required"), 400, "does not support this tool_choice"),
    "another temperature than 1 on Kimi": (KIMI, spoil(temperature=0.6), 400, "only 1 is allowed"),
    "an effort that Gemini lacks": (GEMINI, spoil(reasoning_effort="none"), 400, "Supported values are: 'low'"),
    "a forced call on OpenRouter": (
        "openrouter",
        spoil(tool_choice="required"),
        404,
        "No endpoints found that support",
    ),
    "a system message": (
        "no-system-role",
        lambda body: body["messages"].insert(0, {"role": "system", "content": "Hi"}),
        400,
        "System role not supported",
    ),
    "a limit above the context": ("vllm", spoil(max_tokens=8100), 400, "is too large: 8100. This model's maximum"),
}


def after_tool(body):
    body["messages"].append({"role": "user", "content": "Go on."})


FOLLOWING = {
    "no reasoning on DeepSeek": (
        DEEPSEEK,
        lambda body: assistant(body).pop("reasoning_content"),
        "The reasoning_content in the thinking mode must be passed back to the API.",
    ),
    "other reasoning on DeepSeek": (
        DEEPSEEK,
        lambda body: assistant(body).update(reasoning_content="Mine."),
        "must be passed back",
    ),
    "no reasoning on Kimi": (
        KIMI,
        lambda body: assistant(body).pop("reasoning_content"),
        "reasoning_content is missing",
    ),
    "no signature on Gemini": (
        GEMINI,
        lambda body: assistant(body)["tool_calls"][1].pop("extra_content"),
        "function call `default_api:get_offers` in the 3. content block is missing a `thought_signature`",
    ),
    "another signature on Gemini": (
        GEMINI,
        lambda body: assistant(body)["tool_calls"][0]["extra_content"]["google"].update(thought_signature="x"),
        "Corrupted thought signature",
    ),
    "text for the list of Mistral": (
        MISTRAL,
        lambda body: assistant(body).update(content="I look first."),
        "is not the list that was sent",
    ),
    "a user after a tool on Mistral": (MISTRAL, after_tool, "Unexpected role 'user' after role 'tool'"),
    "a long id on Mistral": (MISTRAL, lambda body: assistant(body)["tool_calls"][0].update(id="call_1"), "length of 9"),
    "changed details on OpenRouter": (
        "openrouter",
        lambda body: assistant(body)["reasoning_details"][0].update(text="Mine."),
        "reasoning_details",
    ),
    "a call without its result": (GPT_41, lambda body: body["messages"].pop(-2), "did not have response messages"),
    "a result without its call": (
        GPT_41,
        lambda body: body["messages"].append({"role": "tool", "tool_call_id": "x", "content": ""}),
        "must be a response to a preceding message",
    ),
    "an empty message": (
        GPT_41,
        lambda body: body["messages"].append({"role": "assistant", "content": None}),
        "got None",
    ),
    "parsed arguments": (
        GPT_41,
        lambda body: assistant(body)["tool_calls"][0]["function"].update(arguments={}),
        "expected a string",
    ),
}


def card(name):
    return FAMILIES.get(name) or SERVERS[name]


def message_of(answer):
    body = answer.json()
    error = (body[0] if isinstance(body, list) else body).get("error", body)
    return error["message"]


@pytest.mark.parametrize("what", OPENINGS)
def test_chat_refuses(what):
    model, spoiled, status, says = OPENINGS[what]
    with asking(card(model), wire="chat") as asker:
        body = asker.opening()
        spoiled(body)
        answer = asker.post(body)
        assert answer.status_code == status
        assert says in message_of(answer)
        assert asker.emulator.bill.charges == []


@pytest.mark.parametrize("what", FOLLOWING)
def test_chat_refuses_a_chat_with(what):
    model, spoiled, says = FOLLOWING[what]
    with asking(card(model), wire="chat") as asker:
        body = asker.second()
        spoiled(body)
        answer = asker.post(body)
        assert answer.status_code == 400
        assert says in message_of(answer)
        assert len(asker.emulator.bill.charges) == 1


def test_the_refusal_of_tools_with_reasoning_is_that_of_openai():
    with asking(GPT_56, wire="chat") as asker:
        assert asker.post(asker.opening()).json() == {
            "error": {
                "message": "Function tools with reasoning_effort are not supported for gpt-5.6-sol in "
                "/v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'.",
                "type": "invalid_request_error",
                "param": "reasoning_effort",
                "code": None,
            }
        }
        asker.reply(asker.opening(reasoning_effort="none"))


def test_openai_takes_tools_at_its_default_of_no_effort():
    with asking(GPT_54, wire="chat") as asker:
        asker.reply(asker.opening(temperature=0.3))


def test_deepseek_takes_a_forced_call_without_thinking():
    with asking(DEEPSEEK) as asker:
        reply = asker.reply(asker.opening(tool_choice="required", thinking={"type": "disabled"}))
        assert "reasoning_content" not in reply["choices"][0]["message"]


def test_gemini_refuses_signatures_of_another_key_once():
    with asking(GEMINI) as asker:
        body = asker.second()
        assert message_of(asker.post(body, key="sk-another-key")) == "Invalid thought signature."
        for call in assistant(body)["tool_calls"]:
            del call["extra_content"]
        asker.reply(body, key="sk-another-key")


def test_gemini_accepts_a_temperature_with_a_remark():
    with asking(GEMINI) as asker:
        asker.reply(asker.opening(temperature=1))
        assert asker.emulator.remarks == [(1, "temperature was sent to a model that should get none")]


def test_gemini_counts_thinking_only_in_the_total():
    with asking(GEMINI) as asker:
        usage = asker.reply(asker.opening())["usage"]
        charge = asker.emulator.bill.charges[0].usage
        hidden = usage["total_tokens"] - usage["prompt_tokens"] - usage["completion_tokens"]
        assert hidden == charge.thinking > 0
        # 2 dollars in, 10 out.
        paid = usage["prompt_tokens"] * 2000 + (usage["total_tokens"] - usage["prompt_tokens"]) * 10_000
        assert asker.emulator.bill.nanodollars == paid


def test_deepseek_counts_cached_tokens_in_its_own_fields():
    with asking(DEEPSEEK) as asker:
        usage = asker.reply(asker.second())["usage"]
        assert usage["prompt_cache_hit_tokens"] + usage["prompt_cache_miss_tokens"] == usage["prompt_tokens"]
        assert usage["prompt_cache_hit_tokens"] > 0


@pytest.mark.parametrize(
    ("model", "name"),
    [(DEEPSEEK, "reasoning_content"), ("vllm", "reasoning"), ("openrouter", "reasoning_details")],
)
def test_thinking_is_in_the_field_of_its_server(model, name):
    with asking(card(model)) as asker:
        assert asker.reply(asker.opening())["choices"][0]["message"][name]


def test_a_limit_cuts_the_reply():
    with asking(GPT_41, wire="chat") as asker:
        choice = asker.reply(asker.opening(max_tokens=2))["choices"][0]
        assert (choice["finish_reason"], choice["message"]["content"]) == ("length", "I look f")
        assert asker.emulator.bill.charges[0].usage.output == 2


def test_flex_costs_half():
    with asking(GPT_41, wire="chat") as asker:
        usage = asker.reply(asker.opening(service_tier="flex"))["usage"]
        assert asker.emulator.bill.nanodollars == usage["prompt_tokens"] * 1000 + usage["completion_tokens"] * 4000


def test_accepted_chats_without_their_thinking_get_a_remark():
    with asking(QWEN) as asker:
        body = asker.second()
        del assistant(body)["reasoning_content"]
        asker.reply(body)
        assert len(asker.emulator.remarks) == 1


def test_a_model_of_the_other_interface_is_refused():
    with asking(replace(card(GPT_41), wires=("responses",)), wire="chat") as asker:
        assert asker.post(asker.opening()).status_code == 404
