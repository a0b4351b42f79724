"""What a model says arrives as it said it."""

from __future__ import annotations

import pytest

from agents.llm import Reply, Usage
from tests.stub_provider import StubAnswer


def test_several_calls_in_one_reply_arrive_in_order(serve):
    reply = serve(StubAnswer(calls=(("get_budget", {}), ("submit_purchase_plan", {"purchase_plan": "{}"})))).query()
    assert [(call.name, call.arguments) for call in reply.calls] == [
        ("get_budget", {}),
        ("submit_purchase_plan", {"purchase_plan": "{}"}),
    ]
    assert len({call.id for call in reply.calls}) == 2
    assert reply.stop == "tool_use"


def test_text_beside_calls_is_kept(serve):
    reply = serve(StubAnswer(text="Let me look.", calls=(("get_budget", {}),))).query()
    assert (reply.text, len(reply.calls)) == ("Let me look.", 1)


def test_text_without_a_call_is_an_ordinary_reply(serve):
    reply = serve(StubAnswer(text="I would rather talk.")).query()
    assert (reply.text, reply.calls, reply.stop) == ("I would rather talk.", (), "end")


def test_a_call_of_an_unknown_tool_passes_through(serve):
    reply = serve(StubAnswer(calls=(("get_weather", {"city": "Łódź 🌧"}),))).query()
    assert (reply.calls[0].name, reply.calls[0].arguments) == ("get_weather", {"city": "Łódź 🌧"})


def test_an_empty_reply_is_an_ordinary_reply(serve):
    reply = serve(StubAnswer()).query()
    assert (reply.text, reply.calls, reply.stop) == ("", (), "end")


@pytest.mark.parametrize(
    ("serve", "stop", "expected"),
    [
        ("anthropic", "max_tokens", "max_tokens"),
        ("anthropic", "model_context_window_exceeded", "max_tokens"),
        ("anthropic", "refusal", "refusal"),
        ("anthropic", "pause_turn", "other"),
        ("openai", "length", "max_tokens"),
        ("openai", "content_filter", "refusal"),
        ("openai", "invented_reason", "other"),
    ],
    indirect=["serve"],
)
def test_the_reason_a_reply_stopped_is_told_in_one_vocabulary(serve, stop, expected):
    assert serve(StubAnswer(text="I", stop=stop)).query().stop == expected


def test_a_refusal_beside_the_content_is_a_refusal(serve_openai):
    reply = serve_openai(StubAnswer(extra={"refusal": "I cannot help with that."})).query()
    assert (reply.stop, reply.text) == ("refusal", "I cannot help with that.")


def test_calls_make_a_tool_use_even_where_the_server_says_it_just_stopped(serve_openai):
    assert serve_openai(StubAnswer(calls=(("get_budget", {}),), stop="stop")).query().stop == "tool_use"


def test_text_in_parts_is_joined_without_the_thinking(serve_openai):
    parts = [{"type": "thinking", "thinking": []}, {"type": "text", "text": "Buy "}, {"type": "text", "text": "one."}]
    assert serve_openai(StubAnswer(extra={"content": parts})).query().text == "Buy one."


def test_the_exact_model_id_is_reported(serve):
    assert serve(StubAnswer(text="Hi", model="any-model-2025-01-01")).query().model == "any-model-2025-01-01"


def test_anthropic_usage_counts_cached_input_in_all_input(serve_anthropic):
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 200,
        "cache_creation_input_tokens": 30,
        "output_tokens": 50,
        "output_tokens_details": {"thinking_tokens": 40},
    }
    reply = serve_anthropic(StubAnswer(text="Hi", usage=usage)).query()
    assert reply.usage == Usage(240, 200, 30, 50, 40)


def test_openai_usage_names_cached_input_and_reasoning(serve_openai):
    usage = {
        "prompt_tokens": 240,
        "prompt_tokens_details": {"cached_tokens": 200},
        "completion_tokens": 50,
        "completion_tokens_details": {"reasoning_tokens": 40},
        "total_tokens": 290,
    }
    assert serve_openai(StubAnswer(text="Hi", usage=usage)).query().usage == Usage(240, 200, 0, 50, 40)


def test_reasoning_that_only_the_total_counts_is_output(serve_openai):
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 420}
    assert serve_openai(StubAnswer(text="Hi", usage=usage)).query().usage == Usage(100, 0, 0, 320, 300)


@pytest.mark.parametrize("usage", [{}, {"input_tokens": None, "prompt_tokens": "many", "output_tokens": True}])
def test_usage_that_is_missing_or_nonsense_counts_nothing(serve, usage):
    assert serve(StubAnswer(text="Hi", usage=usage)).query().usage == Usage()


def test_a_reply_survives_being_stored(serve):
    reply = serve(StubAnswer(text="Hm.", calls=(("get_budget", {}), ("submit_purchase_plan", "{broken")))).query()
    assert Reply.from_json(reply.as_json()) == reply
