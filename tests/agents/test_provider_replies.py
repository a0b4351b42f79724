"""Replies of models are read unchanged; broken calls are marked and never sent back as they came."""

import json

import pytest

from agents.llm import Reply, Request, ToolCall, Usage
from agents.sizes import most_input_tokens
from tests.agents.conftest import request_of, turn_of
from tests.stub_provider import StubAnswer


def test_text_calls_in_order_and_the_exact_model_id_are_read(serve):
    calls = (("get_budget", {}), ("get_weather", {"city": "Łódź 🌧"}))
    reply = serve(StubAnswer(text="Let me look.", calls=calls, model="any-model-2025-01-01")).query()
    assert tuple((call.name, call.arguments) for call in reply.calls) == calls
    assert len({call.id for call in reply.calls}) == 2
    assert (reply.text, reply.stop, reply.model) == ("Let me look.", "tool_use", "any-model-2025-01-01")
    assert reply.blocks == (), "only thinking is kept in blocks"


@pytest.mark.parametrize("text", ["I would rather talk.", ""])
def test_replies_without_a_call_and_empty_replies_are_ordinary_replies(serve, text):
    reply = serve(StubAnswer(text=text)).query()
    assert (reply.text, reply.calls, reply.stop) == (text, (), "end")


@pytest.mark.parametrize(
    ("serve", "stop", "expected"),
    [
        ("anthropic", "max_tokens", "max_tokens"),
        ("anthropic", "model_context_window_exceeded", "max_tokens"),
        ("anthropic", "refusal", "refusal"),
        ("anthropic", "pause_turn", "end"),
        ("openai", "length", "max_tokens"),
        ("openai", "content_filter", "refusal"),
        ("openai", "invented_reason", "other"),
    ],
    indirect=["serve"],
)
def test_stop_reasons_share_a_vocabulary(serve, stop, expected):
    assert serve(StubAnswer(text="I", stop=stop)).query().stop == expected


PARTS = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Buy "}, {"type": "text", "text": "one."}]


@pytest.mark.parametrize(
    ("answer", "stop", "text"),
    [
        (StubAnswer(extra={"refusal": "I cannot help with that."}), "refusal", "I cannot help with that."),
        (StubAnswer(calls=(("get_budget", {}),), stop="stop"), "tool_use", ""),
        (StubAnswer(extra={"content": PARTS}), "end", "Buy one."),
    ],
    ids=["refusal beside the content", "call with the stop of a text", "text in parts with thinking"],
)
def test_openai_replies_are_read_by_their_content(serve_openai, answer, stop, text):
    reply = serve_openai(answer).query()
    assert (reply.stop, reply.text) == (stop, text)


CACHED = {"input_tokens": 10, "cache_read_input_tokens": 200, "cache_creation_input_tokens": 30, "output_tokens": 50}
NAMED = {"prompt_tokens": 240, "completion_tokens": 50, "total_tokens": 290}
DETAILS = {"prompt_tokens_details": {"cached_tokens": 200}, "completion_tokens_details": {"reasoning_tokens": 40}}
ONLY_IN_TOTAL = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 420}


@pytest.mark.parametrize(
    ("serve", "usage", "counted"),
    [
        ("anthropic", CACHED | {"output_tokens_details": {"thinking_tokens": 40}}, Usage(240, 200, 30, 50, 40)),
        ("openai", NAMED | DETAILS, Usage(240, 200, 0, 50, 40)),
        ("openai", ONLY_IN_TOTAL, Usage(100, 0, 0, 320, 300)),
        ("openai", NAMED | {"cached_tokens": 200}, Usage(240, 200, 0, 50, 0)),
    ],
    indirect=["serve"],
)
def test_usage_counts_all_input_and_hidden_reasoning(serve, usage, counted):
    assert serve(StubAnswer(text="Hi", usage=usage)).query().usage == counted


MOST = most_input_tokens(request_of())
PARTS = {"prompt_tokens": 240, "completion_tokens": 20}
HOUR = {"ephemeral_5m_input_tokens": 50, "ephemeral_1h_input_tokens": 150}
WRITTEN = {"input_tokens": 40, "output_tokens": 20, "cache_creation": HOUR}


@pytest.mark.parametrize(
    ("serve", "usage", "counted"),
    [
        *((wire, {}, (MOST, 32_000)) for wire in ("anthropic", "openai")),
        ("anthropic", {"input_tokens": None, "output_tokens": True}, (MOST, 32_000)),
        ("openai", {"prompt_tokens": "many", "completion_tokens": 7}, (MOST, 7)),
        ("openai", {"prompt_tokens": -5, "completion_tokens": -1}, (MOST, 32_000)),
        ("openai", {"prompt_tokens": 240, "completion_tokens": 0}, (240, 32_000)),
        ("openai", {"prompt_tokens": 10**40, "completion_tokens": 1e30}, (MOST, 32_000)),
        ("openai", {"completion_tokens": "12"}, (MOST, 12)),
    ],
    indirect=["serve"],
)
def test_missing_or_invalid_usage_is_replaced_by_a_marked_upper_bound(serve, usage, counted):
    found = serve(StubAnswer(text="Hi", usage=usage)).query().usage
    assert found.estimated and (found.input_tokens, found.output_tokens) == counted


@pytest.mark.parametrize(
    ("serve", "usage", "counted"),
    [
        ("openai", {"prompt_tokens": "240", "completion_tokens": "20"}, (240, 0, 0, 0, 20)),
        ("openai", {"prompt_tokens": 240, "prompt_tokens_details": {"cached_tokens": 999}}, (240, 240, 0, 0, 32_000)),
        (
            "openai",
            PARTS | {"prompt_tokens_details": {"cached_tokens": 200, "cache_write_tokens": 99}},
            (240, 200, 40, 0, 20),
        ),
        ("openai", PARTS | {"completion_tokens_details": {"reasoning_tokens": 300}}, (240, 0, 0, 0, 320)),
        ("anthropic", WRITTEN, (240, 0, 200, 150, 20)),
        ("anthropic", WRITTEN | {"cache_creation_input_tokens": 9}, (49, 0, 9, 9, 20)),
    ],
    indirect=["serve"],
)
def test_parts_of_the_usage_never_exceed_the_total(serve, usage, counted):
    found = serve(StubAnswer(text="Hi", usage=usage)).query().usage
    cached = (found.cached_tokens, found.cache_write_tokens, found.cache_hour_tokens)
    assert (found.input_tokens, *cached, found.output_tokens) == counted
    assert found.reasoning_tokens <= found.output_tokens


def test_a_reply_cut_off_before_its_first_word_is_booked_at_its_limit(serve_openai):
    usage = serve_openai(StubAnswer(text="", stop="length", usage={})).query(max_tokens=500).usage
    assert (usage.output_tokens, usage.estimated) == (500, True)


def test_a_single_question_is_sent_as_a_user_message_without_tools(serve):
    provider = serve(StubAnswer(text="<answer>A</answer>"))
    llm = provider.llm()
    reply = llm.query(Request("", "A or B?", (), key="0.0"))
    assert (reply.text, reply.calls, reply.stop) == ("<answer>A</answer>", (), "end")
    assert not {"tools", "tool_choice", "system"} & set(provider.sent)
    (message,) = provider.sent["messages"]
    assert message["role"] == "user" and "A or B?" in str(message["content"])
    assert "0.0" not in str(provider.sent)
    llm.query(request_of())
    assert {"tools", "tool_choice"} <= set(provider.sent)


@pytest.mark.parametrize("raw", ['{"purchase_plan": ', "[1, 2]", '"text"', "null", '{"a": NaN}'])
def test_arguments_that_are_not_a_json_object_are_kept_as_text(serve_openai, raw):
    call = serve_openai(StubAnswer(calls=(("submit_purchase_plan", raw),))).query().calls[0]
    assert (call.arguments, call.raw) == (None, raw)


@pytest.mark.parametrize("value", ["\"{'Offer_1': 2}\"", "[1, 2]", "Infinity", "1" * 5000], ids=lambda text: text[:9])
def test_input_that_is_not_an_object_is_kept_as_text(serve_anthropic, value):
    use = f'{{"type": "tool_use", "id": "toolu_1", "name": "submit_purchase_plan", "input": {value}}}'
    message = f'{{"type": "message", "model": "m", "stop_reason": "tool_use", "content": [{use}]}}'
    (call,) = serve_anthropic(StubAnswer(raw=message.encode())).query().calls
    assert call.arguments is None and call.raw


@pytest.mark.parametrize(("arguments", "read"), [("", {}), ("  ", {}), ("{}", {}), ({"a": "b"}, {"a": "b"})])
def test_missing_arguments_are_an_empty_object_and_parsed_arguments_are_kept(serve_openai, arguments, read):
    function = {"name": "get_budget", "arguments": arguments}
    provider = serve_openai(StubAnswer(extra={"tool_calls": [{"id": "1", "function": function}]}))
    assert provider.query().calls[0].arguments == read


def test_a_broken_call_is_replayed_with_an_empty_object(serve):
    provider = serve()
    reply = Reply(calls=(ToolCall("call_1", "submit_purchase_plan", None, "{broken"),))
    provider.query(turn_of(reply, "These are no arguments: {broken", is_error=True))
    if provider.wire == "openai":
        (replayed,) = provider.sent["messages"][2]["tool_calls"]
        assert replayed["function"] == {"name": "submit_purchase_plan", "arguments": "{}"}
    else:
        assert provider.sent["messages"][1]["content"][0]["input"] == {}


def test_an_invalid_tool_name_is_replayed_in_a_form_that_the_api_accepts(serve):
    provider = serve(StubAnswer(calls=(("functions.get budget!", {}),)))
    reply = provider.query()
    assert reply.calls[0].name == "functions.get budget!"
    provider.query(turn_of(reply, "There is no such tool.", is_error=True))
    assert '"functions_get_budget_"' in json.dumps(provider.sent["messages"])


@pytest.mark.parametrize("ids", [(None, None), ("", ""), ("same", "same")], ids=["none", "empty", "repeated"])
def test_calls_without_a_unique_id_get_a_new_id(serve, ids):
    reply = serve(StubAnswer(calls=(("get_budget", {}), ("get_budget", {})), ids=ids)).query()
    first, second = (call.id for call in reply.calls)
    assert first and second and first != second


def test_an_id_of_an_earlier_reply_is_replaced(serve):
    provider = serve(StubAnswer(calls=(("get_budget", {}),), ids=("0",)))
    first = provider.query()
    second = provider.llm().query(request_of(turn_of(first, "100.00")))
    assert first.calls[0].id == "0"
    assert second.calls[0].id not in ("", "0")


def test_a_lone_surrogate_does_not_break_the_next_query(serve):
    provider = serve(StubAnswer(text="\ud83d half", calls=(("submit_purchase_plan", {"purchase_plan": "\ud83d"}),)))
    reply = provider.query()
    assert reply.text == "\ufffd half"
    assert reply.calls[0].arguments == {"purchase_plan": "\ufffd"}
    provider.query(turn_of(reply, "No plan."))
    assert provider.stub.count == 2


def test_invalid_calls_in_a_reply_are_skipped(serve_openai):
    provider = serve_openai(StubAnswer(text="Hi", extra={"tool_calls": [None, 7, {"id": 3, "function": None}]}))
    calls = provider.query().calls
    assert [(call.name, call.arguments) for call in calls] == [("", {})]
