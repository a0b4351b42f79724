"""What the emulated Responses interface refuses, and what it answers."""

from dataclasses import replace

import pytest

from tests.emulators.asking import asking
from tests.emulators.families import FAMILIES
from tests.emulators.player import Play

pytestmark = pytest.mark.long

SOL = "gpt-6.2-sol"


def item(body, kind, number=0):
    """An item of the input, by its type."""
    return [item for item in body["input"] if item.get("type") == kind][number]


def without(body, *kinds):
    body["input"] = [item for item in body["input"] if item.get("type") not in kinds]


def wrap_tool(body):
    body["tools"][0] = {"type": "function", "function": {"name": "get_budget"}}


def swap_calls(body):
    first, second = [n for n, item in enumerate(body["input"]) if item.get("type") == "function_call"]
    body["input"][first], body["input"][second] = body["input"][second], body["input"][first]


def spoil(name, value):
    return lambda body: body.update({name: value})


OPENINGS = {
    "an unknown field": (SOL, spoil("messages", []), "Unknown parameter: 'messages'", "messages"),
    "wrapped tools": (SOL, wrap_tool, "Missing required parameter", "tools[0].name"),
    "strict tools with an optional property": (
        SOL,
        lambda body: body["tools"][1].pop("strict"),
        "Invalid schema for function 'get_offers'",
        "tools[1].parameters",
    ),
    "a temperature while reasoning": (SOL, spoil("temperature", 1), "Unsupported parameter", "temperature"),
    "a temperature with effort": (
        "gpt-5.4",
        lambda body: body.update(temperature=1, reasoning={"effort": "low"}),
        "Unsupported parameter",
        "temperature",
    ),
    "an effort that the model lacks": (
        SOL,
        spoil("reasoning", {"effort": "none"}),
        "'reasoning.effort' does not support 'none' with this model. Supported values are: 'low', 'medium'",
        "reasoning.effort",
    ),
    "an effort without reasoning": (
        "gpt-4.1-2025-04-14",
        spoil("reasoning", {"effort": "low"}),
        "not supported with this model",
        "reasoning.effort",
    ),
    "encrypted content without reasoning": (
        "gpt-4.1-2025-04-14",
        spoil("include", ["reasoning.encrypted_content"]),
        "Encrypted content is not supported with this model",
        "include",
    ),
    "a choice without tools": (SOL, lambda body: body.pop("tools"), "only allowed when 'tools'", "tool_choice"),
    "a choice of an unknown tool": (
        SOL,
        spoil("tool_choice", {"type": "function", "name": "sell"}),
        "not found in 'tools'",
        "tool_choice",
    ),
    "too large a limit": (SOL, spoil("max_output_tokens", 200_000), "128000", "max_output_tokens"),
    "an unknown tier": (SOL, spoil("service_tier", "priority"), "service_tier", "service_tier"),
    "a stored conversation": (SOL, spoil("previous_response_id", "resp_1"), "not found", "previous_response_id"),
}

FOLLOWING = {
    "a call without its reasoning": (lambda body: without(body, "reasoning"), "without its required 'reasoning' item"),
    "reasoning without what followed": (lambda body: without(body, "message"), "without its required following item"),
    "reasoning alone": (
        lambda body: without(body, "message", "function_call", "function_call_output"),
        "without its required following item",
    ),
    "another encrypted content": (
        lambda body: item(body, "reasoning").update(encrypted_content="gAAAforged"),
        "could not be verified",
    ),
    "another summary": (
        lambda body: item(body, "reasoning").update(summary=[{"type": "summary_text", "text": "No"}]),
        "could not be verified",
    ),
    "no encrypted content": (
        lambda body: item(body, "reasoning").pop("encrypted_content"),
        "Items are not persisted when `store` is set to false",
    ),
    "a call without its output": (lambda body: body["input"].pop(-2), "No tool output found for function call"),
    "an output without its call": (
        lambda body: body["input"].append({"type": "function_call_output", "call_id": "call_x", "output": ""}),
        "No tool call found",
    ),
    "other arguments": (
        lambda body: item(body, "function_call", 1).update(arguments="{}"),
        "is not as it was sent",
    ),
    "a call id as the id": (
        lambda body: item(body, "function_call").update(id="call_1"),
        "Expected an ID that begins with 'fc'",
    ),
    "calls in another order": (swap_calls, "out of order"),
    "a message without its phase": (
        lambda body: item(body, "message").pop("phase"),
        "Missing required parameter: 'input[2].phase'",
    ),
    "an unknown item": (lambda body: body["input"].append({"type": "thinking"}), "Invalid value: 'thinking'"),
}


@pytest.mark.parametrize("what", OPENINGS)
def test_responses_refuse(what):
    model, spoiled, says, param = OPENINGS[what]
    with asking(model) as asker:
        body = asker.opening()
        spoiled(body)
        answer = asker.post(body)
        assert answer.status_code == 400
        assert says in answer.json()["error"]["message"]
        assert answer.json()["error"]["param"] == param
        assert asker.emulator.bill.charges == []


@pytest.mark.parametrize("what", FOLLOWING)
def test_responses_refuse_a_chat_with(what):
    spoiled, says = FOLLOWING[what]
    with asking(SOL) as asker:
        body = asker.second()
        spoiled(body)
        answer = asker.post(body)
        assert answer.status_code == (404 if "persisted" in says else 400)
        assert says in answer.json()["error"]["message"]
        assert len(asker.emulator.bill.charges) == 1


def test_the_code_names_invalid_encrypted_content():
    with asking(SOL) as asker:
        body = asker.second()
        item(body, "reasoning")["encrypted_content"] = "gAAA"
        assert asker.post(body).json()["error"]["code"] == "invalid_encrypted_content"


def test_a_chat_without_reasoning_and_ids_is_accepted_with_a_remark():
    with asking(SOL) as asker:
        body = asker.second()
        without(body, "reasoning")
        for sent in body["input"]:
            sent.pop("id", None)
        asker.reply(body)
        assert {number for number, _ in asker.emulator.remarks} == {2}


def test_grok_accepts_calls_without_their_reasoning_with_a_remark():
    with asking("grok-4.7") as asker:
        body = asker.second()
        without(body, "reasoning")
        asker.reply(body)
        assert asker.emulator.remarks


def test_a_reply_cut_off_in_its_reasoning_cannot_come_back():
    with asking(SOL, lambda view: Play(text="Long", thinking="word " * 100)) as asker:
        body = asker.opening(max_output_tokens=16)
        reply = asker.reply(body)
        assert (reply["status"], reply["incomplete_details"]) == ("incomplete", {"reason": "max_output_tokens"})
        assert [item["type"] for item in reply["output"]] == ["reasoning"]
        assert reply["usage"]["output_tokens_details"]["reasoning_tokens"] == 16
        again = asker.post(asker.after(body, reply))
        assert "without its required following item" in again.json()["error"]["message"]


@pytest.mark.parametrize(
    ("reason", "change"),
    [
        ("organization_mismatch", lambda body: {"key": "sk-another-key"}),
        ("prefix_mismatch", lambda body: body.update(instructions="You sell.") or {}),
    ],
)
def test_the_reply_names_reasoning_that_was_not_read(reason, change):
    with asking(SOL) as asker:
        body = asker.second()
        options = change(body)
        assert [(item["type"], item["reason"]) for item in asker.reply(body, **options)["input_transformations"]] == [
            ("reasoning", reason)
        ]


def test_a_card_may_refuse_reasoning_of_another_key():
    with asking(replace(FAMILIES[SOL], foreign_reasoning="refused")) as asker:
        answer = asker.post(asker.second(), key="sk-another-key")
        assert answer.json()["error"]["code"] == "invalid_encrypted_content"


def test_a_summary_is_sent_only_on_request():
    with asking(SOL) as asker:
        assert asker.reply(asker.opening())["output"][0]["summary"] == []
        reply = asker.reply(asker.opening(reasoning={"summary": "auto"}))
        assert reply["output"][0]["summary"][0]["text"].startswith("Compare")


def test_writes_to_the_cache_are_reported_and_billed():
    with asking(SOL) as asker:
        body = asker.opening()
        first = asker.reply(body)["usage"]
        again = asker.reply(body)["usage"]
        assert first["input_tokens_details"] == {"cached_tokens": 0, "cache_write_tokens": first["input_tokens"]}
        assert again["input_tokens_details"] == {"cached_tokens": first["input_tokens"], "cache_write_tokens": 0}
        # 2 dollars in, a tenth of it from the cache, a quarter more to it, 10 dollars out.
        written = first["input_tokens"] * 2500 + first["output_tokens"] * 10_000
        read = again["input_tokens"] * 200 + again["output_tokens"] * 10_000
        assert asker.emulator.bill.nanodollars == written + read
