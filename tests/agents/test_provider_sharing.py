"""One model object serves many threads, and a new one costs next to nothing."""

from __future__ import annotations

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

from agents.llm import Reply
from tests.agents.conftest import request_of
from tests.stub_provider import StubAnswer


def echo(wire, body, headers):
    prompt = body["messages"][-1]["content"]
    return StubAnswer(text=prompt if isinstance(prompt, str) else prompt[0]["text"], delay=0.05)


def test_forty_threads_share_one_object_and_get_their_own_answers(serve):
    provider = serve(script=echo)
    llm = provider.llm()

    def ask(number: int) -> Reply:
        return llm.query(request_of(prompt=f"Question {number}"))

    start = time.monotonic()
    with ThreadPoolExecutor(40) as pool:
        replies = list(pool.map(ask, range(200)))
    assert [reply.text for reply in replies] == [f"Question {number}" for number in range(200)]
    assert time.monotonic() - start < 9, "they wait for the provider at the same time"


def test_a_parameter_refused_in_many_threads_at_once_is_dropped_in_all(serve):
    def script(wire, body, headers):
        refused = "temperature" in body
        return StubAnswer(status=400 if refused else 200, error="temperature", text="Hi", delay=0.05)

    llm = serve(script=script).llm()
    with ThreadPoolExecutor(20) as pool:
        replies = list(pool.map(lambda _: llm.query(request_of()), range(20)))
    assert {reply.text for reply in replies} == {"Hi"}


def test_objects_for_one_endpoint_share_its_connections(serve):
    provider = serve(StubAnswer(text="Hi"))
    for number in range(20):
        provider.query(key=f"sk-{number}-of-many", model=f"model-{number}")
    assert len({request.connection for request in provider.stub.requests}) == 1
    assert provider.stub.requests[-1].key == "sk-19-of-many"


def test_a_new_object_is_cheap(serve):
    provider = serve(StubAnswer(text="Hi"))
    provider.query()
    start = time.process_time()
    for _ in range(100):
        provider.llm()
    assert time.process_time() - start < 0.2


def test_importing_the_providers_does_not_import_the_sdks():
    code = "import sys, agents.providers; print({'anthropic', 'openai', 'django'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
