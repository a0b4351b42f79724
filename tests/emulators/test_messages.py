"""What the emulated Messages interface refuses."""

import pytest

from tests.emulators.asking import asking

pytestmark = pytest.mark.long

HAIKU_45, OPUS_46, OPUS_48 = "claude-haiku-4-5-20251001", "claude-opus-4-6", "claude-opus-4-8"
OPUS_5, OPUS_55, SONNET_55, HAIKU_55 = "claude-opus-5", "claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"
CONTROLS = {"anthropic_beta": "thinking-binding-controls-2026-08-01"}
DROP = {"type": "adaptive", "block_binding": {"prefix_mismatch_behavior": "drop_block"}}
FORCED = {"type": "any"}


def spoil(**changes):
    return lambda body: body.update(changes)


def thinks(kind, **more):
    return {"type": kind, **more}


OPENINGS = {
    "an unknown field": (OPUS_55, spoil(seed=1), "seed: Extra inputs are not permitted"),
    "no limit": (OPUS_55, lambda body: body.pop("max_tokens"), "max_tokens: Field required"),
    "too high a limit": (OPUS_55, spoil(max_tokens=200_000), "max_tokens: 200000 > 128000, which is the maximum"),
    "a forced call": (
        OPUS_55,
        spoil(tool_choice=FORCED),
        "tool_choice forces tool use is not compatible with this model",
    ),
    "a forced call with enabled thinking": (
        HAIKU_45,
        spoil(tool_choice=FORCED, thinking=thinks("enabled", budget_tokens=1024)),
        "Thinking may not be enabled when tool_choice forces tool use",
    ),
    "adaptive thinking before 4.6": (HAIKU_45, spoil(thinking=thinks("adaptive")), "thinking.type.adaptive is not"),
    "a budget from 4.7 on": (
        OPUS_48,
        spoil(thinking=thinks("enabled", budget_tokens=1024)),
        "thinking.type.enabled is not",
    ),
    "thinking switched off on 5.5": (OPUS_55, spoil(thinking=thinks("disabled")), "thinking.type.disabled is not"),
    "thinking switched off on Sonnet 5.5": (SONNET_55, spoil(thinking=thinks("disabled")), "thinking.type.disabled"),
    "thinking between tools on Opus 5.5": (OPUS_55, spoil(thinking=thinks("between_tools")), "between_tools is not"),
    "thinking switched off at the highest effort": (
        HAIKU_55,
        spoil(thinking=thinks("disabled"), output_config={"effort": "max"}),
        "cannot be combined with effort 'max'",
    ),
    "a budget above the limit": (
        HAIKU_45,
        spoil(tool_choice={"type": "auto"}, thinking=thinks("enabled", budget_tokens=4000)),
        "`max_tokens` must be greater than `thinking.budget_tokens`",
    ),
    "an effort without any": (HAIKU_45, spoil(output_config={"effort": "low"}), "does not support the effort"),
    "an effort that the model lacks": (
        OPUS_46,
        spoil(output_config={"effort": "xhigh"}),
        "does not support 'xhigh'. Supported values are: 'low', 'medium', 'high', and 'max'",
    ),
    "temperature and top_p": (HAIKU_45, spoil(temperature=1, top_p=0.9), "cannot both be specified"),
    "a temperature with adaptive thinking": (
        OPUS_46,
        spoil(temperature=0.5, thinking=thinks("adaptive")),
        "may only be set to 1 when thinking is enabled",
    ),
    "another temperature than 1 on 4.8": (OPUS_48, spoil(temperature=0.5), "`temperature` is deprecated"),
    "any temperature on 5.5": (OPUS_55, spoil(temperature=1), "`temperature` is deprecated"),
    "controls without their header": (OPUS_55, spoil(thinking=DROP), "block_binding: Extra inputs"),
    "a choice without tools": (OPUS_48, lambda body: body.pop("tools"), "only be specified while providing tools"),
    "a choice of an unknown tool": (
        OPUS_48,
        spoil(tool_choice={"type": "tool", "name": "sell"}),
        "Tool 'sell' not found in provided tools",
    ),
    "a wrapped tool": (OPUS_48, spoil(tools=[{"function": {}}]), "tools.0.custom.name: Field required"),
    "blank text": (
        OPUS_48,
        spoil(messages=[{"role": "user", "content": [{"type": "text", "text": " "}]}]),
        "non-whitespace text",
    ),
    "an empty message": (OPUS_48, spoil(messages=[{"role": "user", "content": []}]), "must have non-empty content"),
    "a prefill": (
        OPUS_48,
        lambda body: body["messages"].append({"role": "assistant", "content": "I"}),
        "must end with a user message",
    ),
    "an assistant who begins": (
        OPUS_48,
        lambda body: body["messages"].insert(0, {"role": "assistant", "content": "I"}),
        "first message must use",
    ),
}


def blocks(body, index):
    return body["messages"][index]["content"]


FOLLOWING = {
    "another system text": (lambda body: body["system"][0].update(text="You sell."), "different conversation"),
    "fewer tools": (lambda body: body.update(tools=body["tools"][-1:]), "different conversation"),
    "another first message": (lambda body: blocks(body, 0)[0].update(text="Stop."), "different conversation"),
    "another signature": (lambda body: blocks(body, 1)[0].update(signature="E0"), "Invalid `signature` in"),
    "another thinking text": (lambda body: blocks(body, 1)[0].update(thinking="Mine."), "Invalid `signature` in"),
    "a part of the thinking": (lambda body: blocks(body, 1).pop(0), "cannot be modified"),
    "no thinking": (lambda body: blocks(body, 1).__delitem__(slice(0, 2)), "must be passed back unchanged"),
    "a call without its result": (lambda body: blocks(body, 2).pop(0), "without `tool_result` blocks"),
    "text before a result": (lambda body: blocks(body, 2).reverse(), "without `tool_result` blocks"),
    "a result without its call": (
        lambda body: blocks(body, 2).insert(0, {"type": "tool_result", "tool_use_id": "x", "content": ""}),
        "messages.2.content.0: unexpected `tool_use_id`",
    ),
    "a mark on thinking": (
        lambda body: blocks(body, 1)[0].update(cache_control={"type": "ephemeral"}),
        "thinking.cache_control: Extra inputs",
    ),
    "a fifth mark": (
        lambda body: blocks(body, 2)[0].update(cache_control={"type": "ephemeral"}),
        "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ),
    "an unnamed role": (lambda body: body["messages"].append({"role": "system", "content": "x"}), "'user' or"),
}


@pytest.mark.parametrize("what", OPENINGS)
def test_messages_refuse(what):
    model, spoiled, says = OPENINGS[what]
    with asking(model) as asker:
        body = asker.opening()
        spoiled(body)
        answer = asker.post(body)
        assert (answer.status_code, answer.json()["error"]["type"]) == (400, "invalid_request_error")
        assert says in answer.json()["error"]["message"]
        assert asker.emulator.bill.charges == []


@pytest.mark.parametrize("what", FOLLOWING)
def test_messages_refuse_a_chat_with(what):
    spoiled, says = FOLLOWING[what]
    with asking(OPUS_55) as asker:
        body = asker.second()
        spoiled(body)
        answer = asker.post(body)
        assert answer.status_code == 400
        assert says in answer.json()["error"]["message"]
        assert len(asker.emulator.bill.charges) == 1


def test_the_refusal_of_a_changed_conversation_is_that_of_anthropic():
    with asking(OPUS_55) as asker:
        body = asker.second() | {"tools": asker.opening()["tools"][-1:]}
        assert asker.post(body).json()["error"]["message"] == (
            "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different "
            "conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "
            '"drop_block".'
        )
        # After this a chat may come without any thinking.
        blocks(body, 1).__delitem__(slice(0, 2))
        asker.reply(body)


def test_a_changed_conversation_may_drop_its_thinking():
    with asking(OPUS_55) as asker:
        body = asker.second() | {"tools": asker.opening()["tools"][-1:], "thinking": DROP}
        dropped = asker.reply(body, **CONTROLS)["input_transformations"]
        assert [(item["path"], item["reason"]) for item in dropped] == [
            ("messages.1.content.0", "prefix_binding_mismatch"),
            ("messages.1.content.1", "prefix_binding_mismatch"),
        ]


@pytest.mark.parametrize(("model", "status"), [(SONNET_55, 400), (HAIKU_55, 400), (OPUS_55, 200), (OPUS_5, 200)])
def test_some_models_bind_thinking_to_the_account(model, status):
    with asking(model) as asker:
        assert asker.post(asker.second(), key="sk-another-key").status_code == status


def test_cache_marks_do_not_change_the_conversation():
    with asking(OPUS_55) as asker:
        body = asker.second()
        del blocks(body, 0)[0]["cache_control"]
        asker.reply(body)
