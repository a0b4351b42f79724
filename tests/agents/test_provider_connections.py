"""Connections are reused, shared by threads, replaced when the server closed them, and limited by a deadline."""

import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from agents.errors import ProviderRetry
from tests.agents.conftest import request_of
from tests.stub_provider import StubAnswer
from tests.waiting import patience, slowness
from tests.yardstick import within


def test_a_closed_connection_is_replaced_before_sending(serve):
    # The server promises to keep its connections and closes each after one whole answer.
    provider = serve(StubAnswer(text="Hello.", cut=10**6))
    llm = provider.llm(timeout_seconds=5.0)
    for _ in range(4):
        assert llm.query(request_of()).text == "Hello."
        time.sleep(0.1 * slowness())  # so that its end has arrived here
    assert provider.stub.count == len({request.connection for request in provider.stub.requests}) == 4


def give_up(provider, timeout):
    """A query whose answer takes too long. Getting no answer proves that the query was given up."""
    caught = provider.failure(ProviderRetry, timeout_seconds=timeout)
    assert caught.reason == f"The endpoint {provider.stub.url} did not finish its answer within {timeout} seconds."
    assert caught.may_be_billed and caught.kind == "timeout"


@pytest.mark.parametrize(
    "answer",
    [
        StubAnswer(hang=True),
        StubAnswer(text="Hi", delay=60),
        StubAnswer(text="Hi" * 1000, trickle=0.02),
        StubAnswer(text="Hi" * 1000, trickle=0.02, slow_head=True),
    ],
    ids=["hang", "delay", "slow body", "slow headers"],
)
def test_a_slow_server_is_given_up_in_time(serve, answer):
    give_up(serve(answer), 0.3)


def test_a_retry_without_a_refused_parameter_gets_no_extra_time(serve):
    refusal = StubAnswer(status=400, error="temperature is not supported", delay=0.3)
    give_up(serve(refusal, StubAnswer(text="In time only if the time began anew.", delay=0.4)), 0.5)


def test_a_slow_answer_within_the_time_limit_is_accepted(serve):
    assert serve(StubAnswer(text="Hi", delay=0.3)).query(timeout_seconds=5).text == "Hi"


@pytest.mark.sampled
def test_forty_threads_share_a_client_and_get_their_own_answers(serve):
    all_forty = threading.Barrier(40, timeout=patience())

    def echo(wire, body, headers):
        all_forty.wait()  # They wait for the provider at the same time, or none is answered.
        prompt = body["messages"][-1]["content"]
        return StubAnswer(text=prompt if isinstance(prompt, str) else prompt[0]["text"])

    llm = serve(script=echo).llm(timeout_seconds=patience())

    def ask(number):
        return llm.query(request_of(prompt=f"Question {number}"))

    with ThreadPoolExecutor(40) as pool:
        replies = list(pool.map(ask, range(200)))
    assert [reply.text for reply in replies] == [f"Question {number}" for number in range(200)]


def test_a_parameter_refused_in_many_threads_is_dropped_in_all_of_them(serve):
    def script(wire, body, headers):
        refused = "temperature" in body
        return StubAnswer(status=400 if refused else 200, error="temperature", text="Hi", delay=0.05)

    llm = serve(script=script).llm()
    with ThreadPoolExecutor(20) as pool:
        replies = list(pool.map(lambda _: llm.query(request_of()), range(20)))
    assert {reply.text for reply in replies} == {"Hi"}


def test_clients_of_an_endpoint_share_connections_and_are_cheap_to_create(serve):
    provider = serve()
    for number in range(20):
        provider.query(key=f"sk-{number}-of-many", model=f"model-{number}")
    assert len({request.connection for request in provider.stub.requests}) == 1
    assert provider.stub.requests[-1].key == "sk-19-of-many"
    within(240_000, lambda: [provider.llm() for _ in range(100)])


@pytest.mark.long
def test_importing_the_providers_does_not_import_the_sdks():
    code = "import sys, agents.providers; print({'anthropic', 'openai', 'django'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
