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
from contextlib import closing, suppress
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
    body = {
        "id": "chatcmpl-0",
        "object": "chat.completion",
        "created": 0,
        "model": "rote",
        "choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}],
        "usage": {"prompt_tokens": 1500, "completion_tokens": 150, "total_tokens": 1650},
    }
    return json.dumps(body).encode()


SET_PRICES = _body(_call("act", "set_prices", json.dumps({"prices_dict_str": "{'Product_1': 3.75}"})))
REPLIES = (
    _body(
        _call("history", "get_previous_pricing_data"),
        _call("products", "get_product_ids"),
        _call("attempt", "get_attempt_number"),
    ),
    _body(_call("read", "read_notes", '{"attempt_number": %d}')),
    _body(_call("write", "write_notes", json.dumps({"notes": NOTE}))),
    SET_PRICES,
)
"""The replies of a period. %d is replaced by the number of a period."""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"


class Endpoint:
    """A latency and counters, which all connections share, and minimal HTTP/1.1 for the client of workers.

    A connection is persistent, and has one request at a time, with Content-Length.
    """

    def __init__(self, latency: float):
        self.latency, self.in_flight = latency, 0
        self.stats: dict[str, float] = {"clock": time.monotonic()} | dict.fromkeys(
            ("answered", "periods", "held_seconds", "in_flight_seconds"), 0
        )

    def count(self, change: int, **more: float) -> None:
        """Add to the counters, and change the number of queries in flight."""
        passed = time.monotonic() - self.stats["clock"]
        for name, amount in {"clock": passed, "in_flight_seconds": self.in_flight * passed, **more}.items():
            self.stats[name] += amount
        self.in_flight += change

    async def talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with closing(writer), suppress(asyncio.IncompleteReadError, ConnectionError):
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = LENGTH.search(head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                answer = self.control(head.split()[1].decode()) if head.startswith(b"GET") else await self.reply(body)
                writer.write(HEAD % len(answer) + answer)

    async def reply(self, body: bytes) -> bytes:
        """Answer a query after the latency."""
        self.count(1)
        since, step = self.stats["clock"], min(body.count(b'"assistant"'), len(REPLIES) - 1)
        await asyncio.sleep(self.latency)
        held = time.monotonic() - since
        self.count(-1, answered=1, held_seconds=held, periods=REPLIES[step] is SET_PRICES)
        period = int(PERIOD.search(body)[1]) if b"%d" in REPLIES[step] else 0
        # The notes to be read are those of the previous period.
        return REPLIES[step].replace(b"%d", b"%d" % (max(0, period - 1) if step == 1 else period))

    def control(self, path: str) -> bytes:
        _, name, *value = path.split("/")
        if name == "latency":
            self.latency = float(value[0])
        self.count(0)
        return json.dumps(self.stats).encode()


async def serve(latency: float) -> None:
    server = await asyncio.start_server(Endpoint(latency).talk, "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


def _end_with_input() -> None:
    sys.stdin.read()
    os._exit(0)


if __name__ == "__main__":
    threading.Thread(target=_end_with_input, daemon=True).start()
    asyncio.run(serve(float(sys.argv[1])))
