"""A request without tools: neither tools nor a choice of them are sent, and the reply is its text."""

from agents.llm import Request
from tests.stub_provider import StubAnswer

QUESTION = Request("", "A or B?", (), key="0.0")


def test_a_single_question_is_sent_as_nothing_but_one_user_message(serve):
    provider = serve(StubAnswer(text="<answer>A</answer>"))
    reply = provider.llm().query(QUESTION)
    assert (reply.text, reply.calls, reply.stop) == ("<answer>A</answer>", (), "end")
    assert not {"tools", "tool_choice", "system"} & set(provider.sent)
    (message,) = provider.sent["messages"]
    assert message["role"] == "user" and "A or B?" in str(message["content"])
    assert "0.0" not in str(provider.sent)


def test_one_model_asks_with_and_without_tools(serve):
    provider = serve(StubAnswer(text="Hi"))
    llm = provider.llm()
    llm.query(QUESTION)
    provider.query()
    assert {"tools", "tool_choice"} <= set(provider.sent)
