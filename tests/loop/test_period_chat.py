"""One period: a chat that ends with the first valid action."""

import re
from dataclasses import replace

import pytest

from agents.episode import play
from agents.llm import Reply, Sent, ToolCall
from agents.loop import MAX_ATTEMPTS, MAX_QUERIES, MOST_USELESS_REPLIES, PeriodChat, Stalled, Step
from agents.notes import Notes
from agents.scripted import ScriptedLLM, calls
from environments.base import ToolError
from environments.prompts.sets import ALREADY_GIVEN, PromptSet
from environments.registry import ENVIRONMENTS, generate

PRICE = {"prices_dict_str": "{'Product_1': 20.0}"}
TALK = Reply(text="Let me think.", stop="end")


def pricing(**options):
    return ENVIRONMENTS["pricing"](generate("pricing", "BASIC", 0), **options)


@pytest.fixture
def period():
    return PeriodChat(pricing(), Notes())


@pytest.mark.parametrize("prices", [PRICE["prices_dict_str"], {"Product_1": 20}], ids=["text", "object"])
def test_a_period_ends_with_the_first_valid_action(period, prices):
    assert not period.finished and period.step == Step(0, 0)
    (result,) = period.receive(calls(("set_prices", {"prices_dict_str": prices})))
    assert period.finished and period.action == {"Product_1": 20.0} and not result.is_error
    assert period.environment.period == 0, "whoever drives the chat steps the environment"


def test_calls_after_the_action_are_ignored_and_marked(period):
    other = {"prices_dict_str": "{'Product_1': 1.0}"}
    late = (("set_prices", other), ("write_notes", {"notes": "late"}))
    results = period.receive(calls(("get_attempt_number", {}), ("set_prices", PRICE), *late))
    assert [result.ignored for result in results] == [False, False, True, True]
    assert period.action == {"Product_1": 20.0} and period.notes.by_period == {}
    assert [result.name for result in period.turns[-1].results] == [result.name for result in results]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (ToolCall("1", "get_weather", {}), "no tool called 'get_weather'; the tools are get_previous_pricing_data"),
        (ToolCall("1", "set_prices", None, "{'broken"), "were not a JSON object"),
        (ToolCall("1", "set_prices", {"price": 3}), "set_prices needs one argument called prices_dict_str."),
        (ToolCall("1", "set_prices", {"prices_dict_str": None}), "must be a string holding a dictionary"),
        (ToolCall("1", "set_prices", {"prices_dict_str": "{}"}), "Every product needs a price; missing: Product_1."),
        (ToolCall("1", "set_prices", {"prices_dict_str": "{'Product_1': nan}"}), "finite number"),
        (ToolCall("1", "write_notes", {}), "write_notes needs one argument called notes"),
        (ToolCall("1", "read_notes", {"attempt_number": "first"}), "must be a whole number"),
    ],
)
def test_a_wrong_call_gets_an_error_and_the_model_can_correct_itself(period, call, says):
    (result,) = period.receive(Reply(calls=(call,)))
    assert result.is_error and says in result.text and result.call_id == "1"
    assert not period.finished
    period.receive(calls(("set_prices", PRICE)))
    assert period.finished


def test_an_invalid_action_does_not_block_a_valid_action_in_the_same_reply(period):
    results = period.receive(calls(("set_prices", {"prices_dict_str": "{}"}), ("set_prices", PRICE)))
    assert [result.is_error for result in results] == [True, False]
    assert period.finished


def test_text_without_a_call_gets_the_reply_prompt_and_counts_as_a_query(period):
    assert period.receive(TALK) == ()
    request = period.request()
    assert request.turns[-1].prompt == "Now use more tools."
    assert period.step == Step(0, 1)


def test_the_fortieth_query_keeps_all_tools_but_accepts_only_the_action(period):
    for query in range(MAX_QUERIES):
        request = period.request()
        assert len(request.tools) == 6 and request.only == ("set_prices" if query == MAX_QUERIES - 1 else "")
        results = period.receive(calls(("write_notes", {"notes": "x"})))
    assert period.step == Step(1, 0) and period.request().turns == ()
    assert results[0].is_error and results[0].text.startswith(
        "This is the last query of this period. Only a call of set_p"
    )
    assert len(period.notes.by_period[0]) == MAX_QUERIES - 1


def test_a_run_of_an_earlier_version_gets_only_the_action_in_the_fortieth_query():
    prompts = ENVIRONMENTS["pricing"].prompt_set
    earlier = prompts.of_version(PromptSet(prompts.folder, chat=None).version)
    period = PeriodChat(pricing(prompts=earlier), Notes())
    for query in range(MAX_QUERIES):
        request = period.request()
        assert (len(request.tools) == 1) is (query == MAX_QUERIES - 1) and request.only == ""
        period.receive(Reply(stop="max_tokens", sent=Sent(forced=False)))
        assert period.attempt or period.turns[-1].prompt == "Now use more tools."


def test_a_reply_without_a_call_gets_a_request_for_a_call_if_unforced(period):
    period.receive(replace(TALK, sent=Sent(forced=False)))
    period.receive(Reply(stop="invalid", fault="tool_use_failed"))
    first, second = (turn.prompt for turn in period.turns)
    assert first == "Now use more tools.\n\nAnswer by calling one of the tools."
    assert second == "Now use more tools.\n\nYour last reply could not be used: tool_use_failed"


IN_VAIN = {
    "raise the limit of the agent": Reply(stop="max_tokens", sent=Sent(max_tokens=4096)),
    "every reply was cut off at the output limit of 4,096 tokens": Reply(stop="max_tokens", sent=Sent(max_tokens=4096)),
    "the model refused to answer": Reply(text="I cannot.", stop="refusal"),
    "the model wrote its calls as text": Reply(text='<tool_call>{"name": "set_prices"}</tool_call>', stop="end"),
    "could not read the model's calls: tool_use_failed": Reply(stop="invalid", fault="tool_use_failed"),
    "every reply was empty": Reply(text="\n", stop="other"),
    "of 500 tokens": Reply(
        calls=(ToolCall("1", "set_prices", None, '{"a'),), stop="max_tokens", sent=Sent(max_tokens=500)
    ),
}
AS_TEXT = [
    "<function=get_product_ids></function>",
    '[TOOL_CALLS] [{"name": "get_product_ids", "arguments": {}}]',
    '<|python_tag|>{"name": "get_product_ids", "parameters": {}}',
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function",
    '```json\n{"name": "get_product_ids", "arguments": {}}\n```',
    '{"function": "get_product_ids", "args": {}}',
    "functions.get_product_ids:0{}",
    "<|channel|>commentary to=functions.get_product_ids <|constrain|>json<|message|>{}",
    '<minimax:tool_call><invoke name="get_product_ids">',
    "Action: get_product_ids\nAction Input: {}",
    "```python\nget_product_ids()\n```",
]


@pytest.mark.parametrize(("sentence", "reply"), IN_VAIN.items())
def test_ten_consecutive_useless_replies_end_a_chat(period, sentence, reply):
    for attempt in range(MAX_ATTEMPTS):
        period.receive(TALK)
        for query in range(MOST_USELESS_REPLIES):
            assert period.step == Step(attempt, query + 1)
            period.receive(reply)
    with pytest.raises(Stalled, match=re.escape(sentence)):
        period.request()


@pytest.mark.parametrize("text", AS_TEXT)
def test_a_call_written_as_text_is_recognised_in_every_notation(period, text):
    for _ in range(MAX_ATTEMPTS * MOST_USELESS_REPLIES):
        period.receive(Reply(text=text, stop="end"))
    with pytest.raises(Stalled, match="switch on the tool parser"):
        period.request()


def test_a_chat_that_ends_in_vain_states_its_most_frequent_cause(period):
    for number in range(MAX_ATTEMPTS * MOST_USELESS_REPLIES):
        period.receive(Reply(stop="max_tokens", sent=Sent(max_tokens=9)) if number % 3 else Reply(stop="refusal"))
    with pytest.raises(Stalled, match="cut off at the output limit of 9 tokens"):
        period.request()


def test_text_about_tools_is_not_a_call(period):
    for _ in range(MOST_USELESS_REPLIES):
        period.receive(Reply(text='Should I call get_product_ids (see {"name"})? No tool_call is needed.', stop="end"))
    assert period.step == Step(0, MOST_USELESS_REPLIES)


def test_a_period_gets_three_chats_and_then_stalls_with_the_last_error(period):
    for _ in range(MAX_ATTEMPTS * MAX_QUERIES - 1):
        period.request()
        period.receive(TALK)
    period.receive(calls(("set_prices", {"prices_dict_str": "{'Product_1': -1}"})))
    with pytest.raises(Stalled, match=r"No valid action in period 0 after 3 chats of 40 queries; .*at least 0"):
        period.request()


def test_a_model_that_never_calls_a_tool_stalls_with_that_reason(period):
    for _ in range(MAX_ATTEMPTS * MAX_QUERIES):
        period.receive(TALK)
    with pytest.raises(Stalled, match=r"after 3 chats of 40 queries; no reply called a tool\."):
        period.request()


def test_an_action_in_the_last_query_counts(period):
    for _ in range(MAX_ATTEMPTS * MAX_QUERIES - 1):
        period.receive(TALK)
    period.receive(calls(("set_prices", PRICE)))
    assert period.finished


def test_the_history_answers_once_per_chat_and_short_getters_always(period):
    history, ids = ("get_previous_pricing_data", {}), ("get_product_ids", {})
    first, again, *short = period.receive(calls(history, history, ids, ids))
    assert first.text == "There are no previous attempts yet." and again.text == ALREADY_GIVEN
    assert not again.is_error and [result.text for result in short] == ["['Product_1']"] * 2
    for _ in range(MAX_QUERIES - 1):
        period.receive(TALK)
    assert period.receive(calls(history))[0].text == first.text


def test_every_period_starts_a_new_chat_and_keeps_the_notes():
    notes = Notes()
    replies = [
        calls(("write_notes", {"notes": "start at 20"}), ("set_prices", PRICE)),
        calls(("read_notes", {"attempt_number": 0})),
        calls(("set_prices", PRICE)),
    ]
    llm = ScriptedLLM(replies)
    environment = play(pricing(periods=2), lambda seat, period: llm, {"seat_0": notes})
    assert environment.finished
    assert [len(request.turns) for request in llm.requests] == [0, 0, 1]
    assert llm.requests[2].turns[0].results[0].text == "start at 20"


def test_bugs_of_the_code_are_not_reported_to_the_agent(period, monkeypatch):
    monkeypatch.setattr(period.environment, "call", lambda name, seat: {}[name])
    with pytest.raises(KeyError):
        period.receive(calls(("get_product_ids", {})))
    assert not issubclass(KeyError, ToolError)
