"""A model endpoint with a fixed latency for load tests. It answers OpenAI's Chat Completions with prepared replies.

    python -m benchmarks.latency_endpoint LATENCY

Prints its port and serves until its standard input closes. It plays pricing BASIC in four queries a period: read the data,
read the notes of the previous period, write notes, set the price. Bodies are not parsed, which would cost CPU time. The
number of assistant messages tells which query it is, and a regular expression finds the period.

GET /stats          returns the counters
GET /latency/0.05   sets another latency in seconds
"""

import asyncio
import json
import os
import re
import sys
import threading
import time
from typing import Any

LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
PERIOD = re.compile(rb'"attempt", ?"content": ?"(\d+)"')

THOUGHT = (
    "Demand seems to respond to price more strongly than it did in the first periods, so I compare the latest profits with "
    "those of the periods before, look at what I noted then, and keep the step small enough that a wrong guess costs little. "
)
NOTE = (
    "Attempt %d, I saw that profit rose after the last change of price and quantity fell less than in proportion. The "
    "optimum seems to lie a little higher; it may drift, so try steps of two to five percent and watch."
)


def _call(call_id: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _body(*calls: dict[str, Any]) -> bytes:
    message = {"role": "assistant", "content": THOUGHT, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    usage = {"prompt_tokens": 1500, "completion_tokens": 150, "total_tokens": 1650}
    body = {"id": "chatcmpl-0", "object": "chat.completion", "created": 0, "model": "rote", "choices": [choice]}
    return json.dumps(body | {"usage": usage}).encode()


READ = _body(
    _call("history", "get_previous_pricing_data"),
    _call("products", "get_product_ids"),
    _call("attempt", "get_attempt_number"),
)
# %d is replaced by the number of the period.
READ_NOTES = _body(_call("read", "read_notes", '{"attempt_number": %d}'))
WRITE_NOTES = _body(_call("write", "write_notes", json.dumps({"notes": NOTE})))
SET_PRICES = _body(_call("act", "set_prices", json.dumps({"prices_dict_str": "{'Product_1': 3.75}"})))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


class Endpoint:
    """The latency and the counters, which all connections share."""

    def __init__(self, latency: float):
        self.latency = latency
        self.answered = self.periods = self.in_flight = 0
        self.held_seconds = self.in_flight_seconds = 0.0
        self._changed = time.monotonic()

    def count(self, change: int) -> float:
        now = time.monotonic()
        self.in_flight_seconds += self.in_flight * (now - self._changed)
        self._changed = now
        self.in_flight += change
        return now

    def sent(self, held: float, acted: bool) -> None:
        self.count(-1)
        self.answered += 1
        self.held_seconds += held
        self.periods += acted

    def stats(self) -> dict[str, float]:
        clock = self.count(0)
        names = ("answered", "periods", "held_seconds", "in_flight_seconds")
        return {name: getattr(self, name) for name in names} | {"clock": clock}


def answer_to(body: bytearray) -> bytes:
    step = body.count(b'"assistant"')
    if step == 0:
        return READ
    if step == 1:
        return READ_NOTES % max(0, int(PERIOD.search(body)[1]) - 1)
    return SET_PRICES if step > 2 else WRITE_NOTES % int(PERIOD.search(body)[1])


class Connection(asyncio.Protocol):
    """Minimal HTTP/1.1 for the client of workers: one request at a time, with Content-Length, on a persistent connection."""

    def __init__(self, endpoint: Endpoint):
        self.endpoint = endpoint
        self.buffer = bytearray()
        self.message_size = 0
        self.timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        self.transport = transport

    def connection_lost(self, error: Exception | None) -> None:
        if self.timer is not None:
            self.timer.cancel()
            self.endpoint.count(-1)

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if not self.message_size:
            head = self.buffer.find(b"\r\n\r\n") + 4
            if head < 4:
                return
            length = LENGTH.search(self.buffer, 0, head)
            self.message_size = head + (int(length[1]) if length else 0)
        if len(self.buffer) < self.message_size:
            return
        request, self.buffer, self.message_size = self.buffer, bytearray(), 0
        if request.startswith(b"GET"):
            self.transport.write(self._control(request.split()[1].decode()))
            return
        now = self.endpoint.count(1)
        loop = asyncio.get_running_loop()
        self.timer = loop.call_later(self.endpoint.latency, self._answer, answer_to(request), now)

    def _answer(self, answer: bytes, since: float) -> None:
        self.timer = None
        self.transport.write(HEAD % len(answer) + answer)
        self.endpoint.sent(time.monotonic() - since, answer == SET_PRICES)

    def _control(self, path: str) -> bytes:
        _, name, *value = path.split("/")
        if name == "latency":
            self.endpoint.latency = float(value[0])
        answer = json.dumps(self.endpoint.stats()).encode()
        return HEAD % len(answer) + answer


async def serve(latency: float) -> None:
    endpoint = Endpoint(latency)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(endpoint), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with_input, daemon=True).start()
    asyncio.run(serve(float(sys.argv[1])))
