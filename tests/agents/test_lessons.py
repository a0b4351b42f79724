"""What a client learns from each documented refusal and does after each unusual answer."""

import re
from dataclasses import replace

import pytest

from agents.errors import ProviderFatal, ProviderRetry
from agents.llm import Turn
from agents.options import LLMOptions
from agents.providers.client import Client
from agents.providers.learned import Learned
from tests.agents.conftest import request_of, turn_of
from tests.emulators import refusals, troubles
from tests.emulators.families import FAMILIES, SERVERS
from tests.emulators.server import Emulator

MODELS = {"messages": "claude-opus-4-6", "responses": "gpt-5.6-sol", "chat": "GLM-5.3"}


@pytest.fixture
def emulated():
    """Connects to the emulator of a model; `refuse` injects an answer at one of its requests."""
    open_ones = []

    def connect(name, wire="", **options):
        emulator = Emulator((FAMILIES | SERVERS)[name])
        open_ones.append(emulator)
        provider = emulator.model.maker if emulator.model.maker in ("anthropic", "openai") else "openai-compatible"
        chosen = {"base_url": emulator.base_url, "timeout_seconds": 10.0} | options
        client = Client(LLMOptions(provider, emulator.model.id, **chosen), "sk-test-1", learned=Learned(wire=wire))
        return emulator, client

    yield connect
    for emulator in open_ones:
        emulator.close()


def refuse(emulator, refusal, at=1):
    emulator.fault = lambda number, body: refusal.answer if number == at else None


def sent(emulator, name):
    return [name in received.body for received in emulator.asked]


def by(then):
    return [pytest.param(one, id=one.id) for one in refusals.REFUSALS if one.then.startswith(then)]


def test_a_refusal_that_names_responses_switches_the_api_and_keeps_the_effort(emulated):
    emulator, client = emulated("gpt-5.6-sol", reasoning=True, reasoning_effort="high")
    reply = client.query(request_of())
    assert [received.path.rpartition("/v1")[2] for received in emulator.asked] == ["/chat/completions", "/responses"]
    assert emulator.asked[1].body["reasoning"]["effort"] == reply.sent.effort == "high"
    assert reply.sent.wire == "responses" and reply.thinking and client.learned == Learned(wire="responses")


@pytest.mark.parametrize(
    "told",
    [
        "This model is only supported in v1/responses and not in v1/chat/completions.",
        "x is not supported via Chat Completions, use the Responses API.",
        "Tools with reasoning are not supported here. Use `/responses`.",
    ],
)
def test_a_responses_only_model_is_recognised_by_any_wording(emulated, told):
    emulator, client = emulated("gpt-5.6-sol", reasoning=True, reasoning_effort="high")
    refuse(emulator, refusals.Refusal("route", "chat", 404, refusals.openai_error(told), refusals.SWITCHES))
    reply = client.query(request_of())
    assert (reply.sent.wire, reply.sent.effort) == ("responses", "high")


@pytest.mark.parametrize("host", ["openrouter.ai", "eu.openrouter.ai"])
@pytest.mark.parametrize(("effort", "forces"), [("high", False), ("none", True), ("", True)])
def test_a_tool_call_is_not_forced_if_that_would_drop_the_thinking(host, effort, forces):
    options = LLMOptions("openai-compatible", "a/b", base_url=f"https://{host}/api/v1", reasoning_effort=effort)
    client = Client(options, "sk-test-1")
    asked = client.wire_request(request_of(), client.learned)
    assert ("tool_choice" in asked.body) is asked.sent.forced is forces


def test_a_run_keeps_the_wire_format_in_which_it_began():
    with Emulator(FAMILIES["gpt-5.6-sol"]) as emulator:
        client = Client(LLMOptions("openai", "gpt-5.6-sol", base_url=emulator.base_url), "sk-test-1", wire="chat")
        with pytest.raises(ProviderFatal, match="use /v1/responses"):
            client.query(request_of())
        assert len(emulator.asked) == 1


@pytest.mark.parametrize("refusal", by(refusals.NAMES_EFFORTS))
def test_a_refused_effort_lists_the_efforts_that_the_model_accepts(emulated, refusal):
    emulator, client = emulated(MODELS[refusal.wire], refusal.wire, reasoning=True, reasoning_effort="xhigh")
    refuse(emulator, refusal)
    with pytest.raises(ProviderFatal, match="does not take the reasoning effort 'xhigh'. It takes 'low'.* 'high'."):
        client.query(request_of())
    assert len(emulator.asked) == 1 and client.learned.refused == ()


def test_google_gets_the_effort_in_its_own_parameter_if_it_refuses_ours(emulated):
    emulator, client = emulated("gemini-4-argon", reasoning_effort="high")
    assert client.query(request_of()).thinking and sent(emulator, "reasoning_effort") == [True, False]
    asked_for = emulator.asked[1].body["extra_body"]["google"]["thinking_config"]
    assert asked_for == {"include_thoughts": True, "thinking_level": "high"}
    refuse(emulator, refusals.Refusal("level", "chat", 400, refusals.google_error("Unknown thinking_level."), ""), 3)
    client.query(request_of())
    assert emulator.asked[3].body["reasoning_effort"] == "high" and "extra_body" not in emulator.asked[3].body


def test_a_model_card_is_read_from_a_list_of_models(emulated):
    _, client = emulated("vllm")
    client.read_card()
    assert client.learned.most_input == 8_192


@pytest.mark.parametrize("host", ["eu.api.openai.com", "us-east-1.api.x.ai", "api.x.ai"])
def test_regional_addresses_of_openai_begin_with_responses(host):
    options = LLMOptions("openai-compatible", "m", base_url=f"https://{host}/v1")
    other = replace(options, base_url=f"https://{host}.example/v1")
    wires = [Client(asked, "sk-test-1").format_of(Learned()).name for asked in (options, other)]
    assert wires == ["responses", "chat"]


@pytest.mark.parametrize("refusal", by(refusals.SENDS_AUTO))
def test_a_refused_forced_call_is_dropped_and_the_reply_records_it(emulated, refusal):
    emulator, client = emulated(MODELS[refusal.wire], refusal.wire, reasoning=True)
    refuse(emulator, refusal)
    reply = client.query(request_of())
    assert sent(emulator, "tool_choice") == [True, False] and not reply.sent.forced
    client.query(request_of())
    assert sent(emulator, "tool_choice") == [True, False, False]


@pytest.mark.parametrize("refusal", by(refusals.LEAVES_TEMPERATURE))
def test_a_refused_temperature_is_left_out(emulated, refusal):
    name = "gpt-4.1-2025-04-14" if refusal.wire == "responses" else MODELS[refusal.wire]
    emulator, client = emulated(name, refusal.wire)
    refuse(emulator, refusal)
    reply = client.query(request_of())
    # A model that does not reason refuses encrypted reasoning besides.
    assert sent(emulator, "temperature")[:2] == [True, False] and "temperature" in reply.sent.left_out
    assert "The provider refuses the temperature." in client.learned.sentences


def test_thinking_is_requested_in_the_form_that_the_model_accepts(emulated):
    emulator, client = emulated("claude-haiku-4-5-20251001", reasoning=True)
    assert client.query(request_of()).thinking
    kinds = [received.body["thinking"]["type"] for received in emulator.asked]
    assert kinds[0] == "adaptive" and kinds[-1] == client.learned.thinking == "enabled"
    budget = emulator.asked[-1].body["thinking"]["budget_tokens"]
    assert 1024 <= budget < emulator.asked[-1].body["max_tokens"]


def test_a_refused_summary_of_the_thinking_keeps_the_thinking(emulated):
    emulator, client = emulated("claude-opus-4-6", reasoning=True)
    told = refusals.anthropic_error("thinking.adaptive.display: Extra inputs are not permitted")
    refuse(emulator, refusals.Refusal("display", "messages", 400, told, "leave the display out"))
    client.query(request_of())
    assert emulator.asked[-1].body["thinking"] == {"type": "adaptive"} and client.learned.refused == ("display",)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("claude-opus-4-8", "disabled"), ("claude-opus-5", "disabled"), ("claude-sonnet-5-5", "between_tools")],
)
def test_effort_none_keeps_a_model_from_thinking(emulated, name, kind):
    emulator, client = emulated(name, reasoning=True, reasoning_effort="none")
    assert not client.query(request_of()).usage.reasoning_tokens
    assert emulator.asked[-1].body["thinking"] == {"type": kind}


def test_a_model_that_always_thinks_refuses_effort_none(emulated):
    _, client = emulated("claude-opus-5-5", reasoning_effort="none")
    with pytest.raises(ProviderFatal, match="claude-opus-5-5 cannot be kept from thinking."):
        client.query(request_of())


@pytest.mark.parametrize("name", ["claude-opus-4-8", "claude-opus-4-6"])
def test_thinking_is_requested_at_any_effort_if_the_model_needs_the_request(emulated, name):
    emulator, client = emulated(name, reasoning_effort="low")
    assert client.query(request_of()).thinking
    assert emulator.asked[-1].body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert emulator.asked[-1].body["output_config"] == {"effort": "low"}


def test_thinking_is_requested_once_a_model_has_thought_by_default(emulated):
    _, client = emulated("claude-opus-5-5")
    assert [bool(client.query(request_of()).thinking) for _ in range(2)] == [False, True]


@pytest.mark.parametrize("refusal", by(refusals.DROPS_THINKING))
def test_unreadable_thinking_is_left_out_of_a_single_request(emulated, refusal):
    name = "gemini-4-argon" if refusal.wire == "chat" else MODELS[refusal.wire]
    emulator, client = emulated(name, refusal.wire, reasoning=True)
    turns = [turn_of(first := client.query(request_of()), *("100.00" for _ in first.calls))]
    emulator.model = replace(emulator.model)
    number = len(emulator.asked) + 1
    refuse(emulator, refusal, number)
    second = client.query(request_of(*turns))
    assert second.sent.without_thinking and "kept" not in client.learned.refused
    turns.append(turn_of(second, *("100.00" for _ in second.calls)))
    third = client.query(request_of(*turns))
    assert not third.sent.without_thinking and len(emulator.asked) == number + 2
    said = [str(received.body) for received in emulator.asked[number - 1 :]]
    assert [len(first.blocks) > 0 and str(_seal(first)) in text for text in said] == [True, False, False]
    assert str(_seal(second)) in said[2]


def _seal(reply):
    """What only the thinking of this reply holds."""
    block = next((one for one in reply.blocks if "signature" in one or "encrypted_content" in one), None)
    if block is None:
        return next(iter(reply.blocks[0]["extra_content"].values()))["google"]["thought_signature"]
    return block.get("signature") or block["encrypted_content"]


@pytest.mark.parametrize("part", ["include", "summary"])
def test_parameters_that_an_account_or_a_model_lacks_are_dropped(emulated, part):
    emulator, client = emulated("gpt-5.6-sol", "responses", reasoning=True)
    refuse(emulator, next(refusal for refusal in refusals.REFUSALS if refusal.id == part))
    client.query(request_of())
    has = [part in received.body or part in received.body.get("reasoning", {}) for received in emulator.asked]
    assert has == [True, False] and client.learned.refused == (part,)


def trouble(name):
    return next(one for one in (*troubles.ODD_SERVERS, *troubles.LIMITS) if one.id == name)


def test_an_output_limit_that_is_too_large_is_lowered_and_not_dropped(emulated):
    emulator, client = emulated("GLM-5.3", max_tokens=8100)
    refuse(emulator, trouble("limit"))
    reply = client.query(request_of())
    limits = [received.body["max_tokens"] for received in emulator.asked]
    assert limits[0] == 8100 and limits[1] == reply.sent.max_tokens == client.learned.most_output
    assert 256 <= limits[1] <= 8192 - 252


CALLS = ["failed-call", "no-call", "malformed-call", "routed-call", "call-of-ollama", "call-of-harmony"]
CALLS += ["call-of-groq", "call-of-vllm", "call-of-sglang", "call-of-xml"]


@pytest.mark.parametrize("name", [*CALLS, "invalid-content", "call-with-200"])
def test_a_reply_that_the_server_cannot_parse_is_invalid(emulated, name):
    emulator, client = emulated("GLM-5.3")
    refuse(emulator, trouble(name))
    reply = client.query(request_of())
    assert (reply.stop, reply.calls) == ("invalid", ()) and reply.fault
    assert reply.usage.output_tokens == (30 if name == "call-with-200" else 0)
    assert client.query(request_of(Turn(reply, (), "Now use more tools."))).calls


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (400, "Failed to parse the request body as JSON: messages[3]: missing field `content`"),
        (400, "Invalid schema for function 'get_budget': failed to parse tool call schema"),
        (500, "failed to generate response: CUDA out of memory"),
    ],
)
def test_a_request_that_the_server_cannot_parse_is_not_an_invalid_reply(emulated, status, told):
    emulator, client = emulated("GLM-5.3")
    refuse(emulator, refusals.Refusal("ours", "chat", status, refusals.openai_error(told), "wait or pause"))
    with pytest.raises((ProviderRetry, ProviderFatal), match=re.escape(told)):
        client.query(request_of())


@pytest.mark.parametrize(
    ("name", "form"),
    [
        *((name, "prompt_in_result") for name in ("user-after-tool", "order", "alternate", "follows")),
        ("system-role", "system_in_prompt"),
    ],
)
def test_another_form_of_the_chat_is_tried_and_kept(emulated, name, form):
    emulator, client = emulated("GLM-5.3")
    first = client.query(request_of())
    refuse(emulator, trouble(name), 2)
    turns = turn_of(first, *("100.00" for _ in first.calls))
    client.query(request_of(turns))
    assert client.learned.forms == (form,)
    last = emulator.asked[-1].body["messages"]
    assert last[-1]["role"] == ("tool" if form == "prompt_in_result" else "user")
    assert last[0]["role"] == ("user" if form == "system_in_prompt" else "system")
    assert "Now use more tools." in str(last) and "You buy equipment." in str(last)


def test_a_reply_without_a_message_is_booked_by_its_usage(emulated):
    emulator, client = emulated("GLM-5.3")
    refuse(emulator, trouble("no-message"))
    usage = client.query(request_of()).usage
    assert (usage.input_tokens, usage.output_tokens, usage.estimated) == (269, 0, False)


@pytest.mark.parametrize("name", ["balance-with-200", "quota", "credit", "spend", "contract", "credit-gemini"])
def test_missing_credit_pauses_at_once_and_is_reported(emulated, name):
    refusal = trouble(name)
    emulator, client = emulated(MODELS[refusal.wire], refusal.wire)
    refuse(emulator, refusal)
    with pytest.raises(ProviderFatal) as caught:
        client.query(request_of())
    assert (caught.value.kind, caught.value.usage, len(emulator.asked)) == ("credit", None, 1)
    assert name != "balance-with-200" or "insufficient balance" in caught.value.reason


def test_flagged_input_affects_only_its_run(emulated):
    emulator, client = emulated("GLM-5.3")
    refuse(emulator, trouble("flagged"))
    with pytest.raises(ProviderFatal, match="your input was flagged") as caught:
        client.query(request_of())
    assert caught.value.kind == "request"


@pytest.mark.parametrize(
    ("name", "seconds"),
    [
        ("rate", 2.0),
        ("rate-ms", 1.5),
        ("rate-messages", 2.0),
        ("rate-gemini", 32.0),
        ("ramp", None),
        ("rate-with-200", None),
    ],
)
def test_rate_limits_are_waited_for(emulated, name, seconds):
    refusal = trouble(name)
    emulator, client = emulated(MODELS[refusal.wire], refusal.wire)
    refuse(emulator, refusal)
    with pytest.raises(ProviderRetry) as caught:
        client.query(request_of())
    assert (caught.value.retry_after, caught.value.limited, caught.value.may_be_billed) == (seconds, True, False)


def test_a_reply_refused_as_cut_off_is_booked_at_its_limit(emulated):
    emulator, client = emulated("GLM-5.3", max_tokens=900)
    told = "Could not finish the message because max_tokens or model output limit was reached. Try again with higher."
    refuse(emulator, refusals.Refusal("cut", "chat", 400, refusals.openai_error(told), "a reply that was cut off"))
    reply = client.query(request_of())
    assert (reply.stop, reply.usage.output_tokens, reply.usage.estimated) == ("max_tokens", 900, True)
    assert client.learned == Learned() and client.query(request_of()).calls


def test_lessons_are_kept_if_the_reply_cannot_be_read(emulated):
    emulator, client = emulated("GLM-5.3")
    forced, unread = (next(one for one in refusals.REFUSALS if one.id == "forced-chat"), trouble("failed-call"))
    emulator.fault = lambda number, body: {1: forced.answer, 2: unread.answer}.get(number)
    assert client.query(request_of()).stop == "invalid"
    client.query(request_of())
    assert sent(emulator, "tool_choice") == [True, False, False]
