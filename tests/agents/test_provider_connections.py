"""Connections are kept between queries, and one that the server closed meanwhile costs nothing."""

from __future__ import annotations

import json
import socket
import threading
import time

import pytest

from agents.options import LLMOptions
from agents.providers import connect
from tests.agents.conftest import KEY, request_of
from tests.stub_provider import StubAnswer

REPLY = {
    "model": "any-model",
    "choices": [{"message": {"role": "assistant", "content": "Hello."}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1},
}


class OneAnswerServer:
    """Promises to keep its connections, answers one request on each, and closes it a moment later."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self.socket.getsockname()[1]}/v1"
        self.requests = 0
        threading.Thread(target=self._serve, daemon=True).start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                data = b""
                while b"\r\n\r\n" not in data or not data.endswith(b"}"):
                    data += connection.recv(65536)
                self.requests += 1
                body = json.dumps(REPLY).encode()
                head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
                connection.sendall(head.encode() + body)
                time.sleep(0.02)


@pytest.fixture
def server():
    server = OneAnswerServer()
    yield server
    server.socket.close()


def test_a_connection_that_the_server_closed_is_replaced_before_anything_is_sent(server):
    llm = connect(LLMOptions("openai-compatible", "any-model", base_url=server.address, timeout_seconds=5.0), KEY)
    for _ in range(4):
        assert llm.query(request_of()).text == "Hello."
        time.sleep(0.1)
    assert server.requests == 4


def test_a_connection_is_used_again(serve):
    provider = serve(script=lambda *_: StubAnswer(text="Hi"))
    llm = provider.llm()
    for _ in range(5):
        llm.query(request_of())
    assert len({request.connection for request in provider.stub.requests}) == 1
