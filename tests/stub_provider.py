"""A local server that speaks both wire formats, driven by a script: what a provider may answer, and every way to fail.

with StubProvider(lambda wire, body, headers: StubAnswer(text="Hello")) as stub:
    LLMOptions("openai-compatible", "any", base_url=stub.base_url("openai"))
"""

from __future__ import annotations

import hashlib
import json
import socket
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

WIRES = {"/v1/messages": "anthropic", "/v1/chat/completions": "openai"}
STOPS = {"anthropic": ("tool_use", "end_turn"), "openai": ("tool_calls", "stop")}


@dataclass(frozen=True)
class StubAnswer:
    """What to answer. The fields up to `model` make a reply, the others replace it or spoil it.

    calls: (name, arguments) pairs; arguments given as text are sent as they are
    stop, usage: in the wire format's own words; left out, they follow from calls and sizes
    ids: ids of the calls, None for a call without one; left out, they follow from the request
    blocks: Anthropic content blocks before text and calls
    extra: fields added to OpenAI's message or to Anthropic's body
    status, error: an HTTP error, `error` the message or the whole body
    raw: a body to send as it is
    delay: seconds before the answer; hang: no answer before the server closes; drop: close without an answer
    cut: send only so many bytes of the body, then close
    trickle: seconds between single bytes of the body, with `slow_head` of the headers too
    """

    text: str = ""
    calls: tuple[tuple[str, dict | str], ...] = ()
    stop: str | None = None
    usage: dict | None = None
    ids: tuple[str | None, ...] | None = None
    blocks: tuple[dict, ...] = ()
    extra: dict = field(default_factory=dict)
    model: str | None = None
    status: int = 200
    error: str | dict = ""
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    delay: float = 0.0
    hang: bool = False
    drop: bool = False
    cut: int | None = None
    trickle: float = 0.0
    slow_head: bool = False


@dataclass(frozen=True)
class Received:
    """One request whose whole body arrived. connection: the client's port; at: when, on the monotonic clock."""

    wire: str
    path: str
    body: dict
    headers: dict[str, str]
    answer: StubAnswer
    connection: int
    at: float

    @property
    def key(self) -> str:
        return self.headers.get("authorization", "").removeprefix("Bearer ") or self.headers.get("x-api-key", "")


class StubProvider:
    """The server, listening on a free port of this machine from construction to `close`.

    answer: the script, called in the threads of the connections with wire format, body and headers in lower case
    remember: whether to keep every request; a server for a hundred thousand of them only counts
    """

    def __init__(self, answer, *, host: str = "127.0.0.1", port: int = 0, remember: bool = True):
        self._answer = answer
        self._remember = remember
        self._count = 0
        self._lock = threading.Lock()
        self._requests: list[Received] = []
        self.closing = threading.Event()
        self._server = _Server((host, port), _Handler)
        self._server.stub = self
        self.url = f"http://{host}:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def base_url(self, wire: str) -> str:
        return f"{self.url}/v1" if wire == "openai" else self.url

    @property
    def requests(self) -> list[Received]:
        """Every request so far in order of arrival."""
        with self._lock:
            return list(self._requests)

    @property
    def bodies(self) -> list[dict]:
        return [request.body for request in self.requests]

    @property
    def count(self) -> int:
        with self._lock:
            return self._count

    def take(self, path: str, body: dict, headers: dict[str, str], connection: int) -> tuple[str, StubAnswer]:
        wire, at = WIRES.get(path, ""), time.monotonic()
        answer = self._answer(wire, body, headers) if wire else StubAnswer(status=404, error="No such page.")
        with self._lock:
            self._count += 1
            if self._remember:
                self._requests.append(Received(wire, path, body, headers, answer, connection, at))
        return wire, answer

    def close(self) -> None:
        self.closing.set()
        stopping = threading.Thread(target=self._server.shutdown)
        stopping.start()
        # The server checks whether to stop at each connection, or twice a second.
        socket.create_connection(self._server.server_address).close()
        stopping.join()
        self._server.server_close()

    def __enter__(self) -> StubProvider:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 512
    stub: StubProvider

    def handle_error(self, request, client_address) -> None:
        """A client that went away is part of the play."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        stub, body = self.server.stub, json.loads(content)
        headers = {name.lower(): value for name, value in self.headers.items()}
        wire, answer = stub.take(self.path, body, headers, self.client_address[1])
        if answer.hang:
            stub.closing.wait()
        if answer.delay:
            stub.closing.wait(answer.delay)
        if answer.drop or answer.hang:
            self.close_connection = True
            return
        self._send(answer, content_of(wire, body, answer))

    def do_GET(self) -> None:
        self.server.stub.take(self.path, {}, {}, self.client_address[1])
        self._send(StubAnswer(status=404), b"{}")

    def _send(self, answer: StubAnswer, content: bytes) -> None:
        headers = {"Content-Type": "application/json", "Date": self.date_time_string()} | answer.headers
        head = f"HTTP/1.1 {answer.status} Stub\r\nContent-Length: {len(content)}\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in headers.items())
        data = head.encode() + b"\r\n" + content[: answer.cut]
        if answer.trickle:
            at_once = 0 if answer.slow_head else data.index(b"\r\n\r\n") + 4
            self.wfile.write(data[:at_once])
            for byte in data[at_once:]:
                self.wfile.write(bytes([byte]))
                if self.server.stub.closing.wait(answer.trickle):
                    break
        else:
            self.wfile.write(data)
        if answer.cut is not None or answer.trickle:
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)

    def log_message(self, format: str, *args: object) -> None:
        pass


def content_of(wire: str, body: dict, answer: StubAnswer) -> bytes:
    """The body that the server sends for an answer to a request."""
    if answer.raw is not None:
        return answer.raw
    if answer.status >= 300:
        error = answer.error if isinstance(answer.error, dict) else {"error": {"message": answer.error}}
        return json.dumps(error).encode()
    # Everything follows from the request alone, so that two servers answer alike.
    digest = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
    ids = answer.ids or tuple(f"call_{digest[:12]}_{i}" for i in range(len(answer.calls)))
    reply = _anthropic if wire == "anthropic" else _openai
    return json.dumps(reply(body, answer, ids, digest)).encode()


def _anthropic(body: dict, answer: StubAnswer, ids: tuple[str | None, ...], digest: str) -> dict:
    content = [*answer.blocks]
    if answer.text:
        content.append({"type": "text", "text": answer.text})
    for call_id, (name, arguments) in zip(ids, answer.calls, strict=True):
        use = {"type": "tool_use", "id": call_id, "name": name, "input": arguments}
        content.append({key: value for key, value in use.items() if value is not None})
    usage = {"input_tokens": len(json.dumps(body)) // 4, "output_tokens": len(json.dumps(content)) // 4}
    return {
        "id": f"msg_{digest[:12]}",
        "type": "message",
        "role": "assistant",
        "model": answer.model or body.get("model"),
        "content": content,
        "stop_reason": answer.stop or STOPS["anthropic"][not answer.calls],
        "usage": usage if answer.usage is None else answer.usage,
    } | answer.extra


def _openai(body: dict, answer: StubAnswer, ids: tuple[str | None, ...], digest: str) -> dict:
    message: dict = {"role": "assistant", "content": answer.text or None}
    calls = []
    for call_id, (name, arguments) in zip(ids, answer.calls, strict=True):
        text = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call = {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}
        calls.append({key: value for key, value in call.items() if value is not None})
    if calls:
        message["tool_calls"] = calls
    sent, received = len(json.dumps(body)) // 4, len(json.dumps(message)) // 4
    usage = {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}
    finish = answer.stop or STOPS["openai"][not answer.calls]
    return {
        "id": f"chatcmpl-{digest[:12]}",
        "object": "chat.completion",
        "created": 0,
        "model": answer.model or body.get("model"),
        "choices": [{"index": 0, "message": message | answer.extra, "finish_reason": finish}],
        "usage": usage if answer.usage is None else answer.usage,
    }
