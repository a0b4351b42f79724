"""A request that carries too much is refused before it is read."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from econevals_site.bodies import MOST_BYTES, BodyLimit


def answers(headers, parts):
    """What the server sends, and how many bytes the application was given."""
    sent, given, waiting = [], [], list(parts)

    async def app(scope, receive, send):
        while True:
            message = await receive()
            given.append(message)
            if message["type"] == "http.disconnect" or not message.get("more_body"):
                break

    async def receive():
        return {"type": "http.request", "body": waiting.pop(0), "more_body": bool(waiting)}

    async def send(message):
        sent.append(message)

    # In a thread of its own, since a browser test before may have left a running loop in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(
            asyncio.run, BodyLimit(app)({"type": "http", "path": "/", "headers": headers}, receive, send)
        ).result()
    return sent, given


def test_a_gigabyte_is_refused_by_what_it_says_of_itself():
    sent, given = answers([(b"content-length", b"1000000000")], [])
    assert sent[0]["status"] == 413 and not given


def test_a_body_that_does_not_say_its_length_is_cut_off():
    part = b"x" * (MOST_BYTES // 4)
    sent, given = answers([], [part] * 8)
    assert sent[0]["status"] == 413 and len(given) == 4


def test_an_ordinary_body_passes():
    sent, given = answers([(b"content-length", b"3")], [b"abc"])
    assert not sent and given[0]["body"] == b"abc"
