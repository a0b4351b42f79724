"""Testing a connection makes one real tool call and says in plain words what came back and what to do."""

from unittest.mock import Mock

import pytest

from runs.services import agent_test_connection
from tests.stub_provider import StubAnswer, StubProvider

PONG = (("report_sum", {"sum": 42}),)
HTML = b"<html><head><title>Sign in</title></head><body>Please sign in.</body></html>"


@pytest.fixture(params=["openai", "anthropic"])
def tested(request, model_agent):
    """The result of a test against a stub that gives one answer, and the stub."""

    def test(answer, **options):
        with StubProvider(lambda *_: answer) as stub:
            found = agent_test_connection(agent=model_agent(stub, request.param), **options)
            test.bodies = stub.bodies
        return found

    return test


def test_a_call_of_the_tool_is_a_success(tested):
    found = tested(StubAnswer(calls=PONG))
    assert found.ok and found.sentence.startswith("It works: house-1 called the tool in ")
    assert (found.details["call"]["name"], found.details["call"]["arguments"]) == PONG[0]
    assert found.advice == ""
    assert len(tested.bodies) == 1 and "report_sum" in str(tested.bodies[0]["tools"])


def test_a_wrong_sum_is_not_a_fault_of_the_connection(tested):
    found = tested(StubAnswer(calls=(("report_sum", {"sum": 41}),)))
    assert found.ok and "the sum it reported is wrong" in found.advice


FAILURES = [
    ("wrong key", StubAnswer(status=401, error="Incorrect API key."), "refuses the key", "Enter the right key"),
    ("no credit", StubAnswer(status=402, error="Out of credit."), "no credit left", "Add credit"),
    ("forbidden", StubAnswer(status=403, error="Not for you."), "does not allow this key", "another model"),
    ("unknown model", StubAnswer(status=404, error="No such model."), "does not know the model house-1", "model id"),
    ("redirect", StubAnswer(status=302, headers={"Location": "/x"}), "redirects to another address", "address"),
    ("bad request", StubAnswer(status=400, error="No."), "refuses the request", "agent's settings"),
    ("rate limit", StubAnswer(status=429, error="Slow down."), "limits the rate", "The connection itself works"),
    ("fault", StubAnswer(status=500, error="Oops."), "The provider failed (status 500)", "whether the server runs"),
    ("HTML", StubAnswer(raw=HTML), "answered with text that is not JSON", "whether the server runs"),
    ("cut", StubAnswer(calls=PONG, cut=20), "broke before the answer was complete", "whether the server runs"),
    ("text", StubAnswer(text="42"), "text instead of a tool call", "tools switched on"),
    ("other tool", StubAnswer(calls=(("add", {"a": 17}),)), "a tool that it was not offered", "tools switched on"),
]


@pytest.mark.parametrize("answer, sentence, advice", [row[1:] for row in FAILURES], ids=[row[0] for row in FAILURES])
def test_a_failure_says_what_it_is_and_what_to_do(tested, answer, sentence, advice):
    found = tested(answer)
    assert not found.ok
    assert sentence in found.sentence and advice in found.advice
    assert "<" not in found.sentence and len(tested.bodies) == 1


def test_nobody_waits_longer_than_a_minute(tested):
    found = tested(StubAnswer(hang=True), timeout_seconds=0.5)
    assert not found.ok and "did not finish its answer within 0.5 seconds" in found.sentence


def test_a_server_that_is_not_there(model_agent):
    agent = model_agent(Mock(base_url=lambda wire: "http://127.0.0.1:1/v1"))
    found = agent_test_connection(agent=agent)
    assert not found.ok and "did not answer" in found.sentence and "whether the server runs" in found.advice


def test_a_private_address_where_none_is_allowed(model_agent, settings):
    with StubProvider(lambda *_: StubAnswer(calls=PONG)) as stub:
        agent = model_agent(stub)
        settings.ALLOW_PRIVATE_ENDPOINTS = False
        found = agent_test_connection(agent=agent)
        assert stub.count == 0
    assert not found.ok and "This address is private." in found.sentence
