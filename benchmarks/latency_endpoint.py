"""A model endpoint of set latency for load tests: OpenAI's Chat Completions, answered by rote at very little cost.

    python benchmarks/latency_endpoint.py --latency 2

Prints its port and serves until its standard input closes. It plays pricing BASIC in four queries a period, as agents do:
read the data, read the notes of the period before, write notes, set the price. Bodies are not parsed: which query it is
follows from the number of assistant messages, and the rest is found by three searches.

GET /stats          counters, and percentiles of the overhead since the last time somebody asked
GET /latency/0.05   sets another latency
GET /history/0      the model no longer reads its data, so that its requests stop growing; /history/1 undoes it
"""

import argparse
import asyncio
import json
import os
import re
import statistics
import sys
import threading
import time
from typing import Any

CALLS_PER_PERIOD = 4

LENGTH = re.compile(rb"content-length: *(\d+)", re.IGNORECASE)
CHAT = re.compile(rb'"tool_call_id": ?"c(\d+)-')
PERIOD = re.compile(rb'-attempt", ?"content": ?"(\d+)"')
CHAT_BEFORE = re.compile(rb"in chat (\d+) I")

THOUGHT = (
    "Demand seems to respond to price more strongly than it did in the first periods, so I compare the latest profits with "
    "those of the periods before, look at what I noted then, and keep the step small enough that a wrong guess costs little. "
)
NOTE = (
    "Attempt %d, in chat %d I saw that profit rose after the last change of price and quantity fell less than in "
    "proportion. The optimum seems to lie a little higher; it may drift, so try steps of two to five percent and watch."
)


def _call(call_id: str, name: str, arguments: str = "{}") -> dict[str, Any]:
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def _body(*calls: dict[str, Any]) -> bytes:
    message = {"role": "assistant", "content": THOUGHT, "tool_calls": calls}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    usage = {"prompt_tokens": "@", "completion_tokens": 150, "total_tokens": "@"}
    body = {"id": "chatcmpl-0", "object": "chat.completion", "created": 0, "model": "rote", "choices": [choice]}
    return json.dumps(body | {"usage": usage}).replace('"@"', "1500").encode()


# The numbers of the chat and of the period are filled in for %d.
READ = _body(
    _call("c%d-history", "get_previous_pricing_data"),
    _call("c%d-products", "get_product_ids"),
    _call("c%d-attempt", "get_attempt_number"),
)
READ_WITHOUT_HISTORY = _body(_call("c%d-products", "get_product_ids"), _call("c%d-attempt", "get_attempt_number"))
READ_NOTES = _body(_call("c%d-read", "read_notes", '{"attempt_number": %d}'))
WRITE_NOTES = _body(_call("c%d-write", "write_notes", json.dumps({"notes": NOTE})))
SET_PRICES = _body(_call("c%d-act", "set_prices", json.dumps({"prices_dict_str": "{'Product_1': 3.75}"})))
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


class Endpoint:
    """What all connections share: latency, counters, and when each chat was last answered.

    A run's next query is recognised by the number of its chat, which stands in the ids of its calls and in its notes. The
    time from an answer to the next query of the same run is the overhead of the worker.
    """

    def __init__(self, latency: float):
        self.latency = latency
        self.history = True
        self.chats = self.answered = self.periods = self.request_bytes = 0
        self.in_flight = self.max_in_flight = 0
        self.held_seconds = self.in_flight_seconds = 0.0
        self._changed = time.monotonic()
        self._came: dict[int, float] = {}
        self._answered_at: dict[int, float] = {}
        self._overheads: list[float] = []

    def count(self, change: int) -> float:
        now = time.monotonic()
        self.in_flight_seconds += self.in_flight * (now - self._changed)
        self._changed = now
        self.in_flight += change
        self.max_in_flight = max(self.max_in_flight, self.in_flight)
        return now

    def take(self, body: bytearray, now: float) -> tuple[int, bytes]:
        """The chat a query belongs to and the answer it will get."""
        self.request_bytes += len(body)
        step = body.count(b'"assistant"')
        if step == 0:
            self.chats += 1
            self._came[self.chats] = now
            parts = 3 if self.history else 2
            return self.chats, (READ if self.history else READ_WITHOUT_HISTORY) % ((self.chats,) * parts)
        latest = body.rfind(b'"tool_call_id"')
        chat = int(CHAT.search(body, latest)[1])
        self._overheads.append(now - self._answered_at.get(chat, now))
        if step == 1:
            return chat, READ_NOTES % (chat, max(0, int(PERIOD.search(body)[1]) - 1))
        if step > 2:
            return chat, SET_PRICES % chat
        before = CHAT_BEFORE.search(body, latest)
        came = self._came.pop(chat, now)
        if before is not None and (ended := self._answered_at.pop(int(before[1]), None)) is not None:
            self._overheads.append(came - ended)
        return chat, WRITE_NOTES % (chat, int(PERIOD.search(body)[1]), chat)

    def sent(self, chat: int, held: float, acted: bool) -> None:
        self._answered_at[chat] = self.count(-1)
        self.answered += 1
        self.held_seconds += held
        self.periods += acted

    def stats(self) -> dict[str, Any]:
        clock = self.count(0)
        overheads, self._overheads = sorted(self._overheads), []
        names = (
            "answered",
            "periods",
            "request_bytes",
            "in_flight",
            "max_in_flight",
            "held_seconds",
            "in_flight_seconds",
        )
        quantiles = statistics.quantiles(overheads, n=100) if len(overheads) > 1 else [None] * 99
        return {name: getattr(self, name) for name in names} | {
            "clock": clock,
            "cpu_seconds": time.process_time(),
            "overhead_p50": quantiles[49],
            "overhead_p99": quantiles[98],
        }


class Connection(asyncio.Protocol):
    """HTTP/1.1 as the worker's client speaks it: one request at a time, its length given, the connection kept."""

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
        chat, answer = self.endpoint.take(request, now)
        loop = asyncio.get_running_loop()
        self.timer = loop.call_later(self.endpoint.latency, self._answer, chat, answer, now)

    def _answer(self, chat: int, answer: bytes, since: float) -> None:
        self.timer = None
        self.transport.write(HEAD % len(answer) + answer)
        self.endpoint.sent(chat, time.monotonic() - since, b"-act" in answer)

    def _control(self, path: str) -> bytes:
        _, name, *value = path.split("/")
        if name == "latency":
            self.endpoint.latency = float(value[0])
        elif name == "history":
            self.endpoint.history = value[0] != "0"
        answer = json.dumps(self.endpoint.stats() if name == "stats" else {}).encode()
        return HEAD % len(answer) + answer


async def serve(latency: float, port: int) -> None:
    endpoint = Endpoint(latency)
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(endpoint), "127.0.0.1", port, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--latency", type=float, default=2.0, metavar="SECONDS")
    parser.add_argument("--port", type=int, default=0, help="a free one where none is given")
    options = parser.parse_args()
    threading.Thread(target=_end_with_input, daemon=True).start()
    asyncio.run(serve(options.latency, options.port))


if __name__ == "__main__":
    main()
