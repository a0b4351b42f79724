"""A request that carries too much is refused before it is read."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from econevals_site.serving.bodies import MOST_BYTES, BodyLimit


def answers(headers, parts, path="/"):
    """What the server sends, and what the application was given."""
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
            asyncio.run, BodyLimit(app)({"type": "http", "path": path, "headers": headers}, receive, send)
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


BROWSER = (b"accept", b"text/html,application/xhtml+xml")


def test_a_browser_gets_its_page_from_the_application_which_is_given_nothing_of_the_body():
    sent, given = answers([(b"content-length", b"100000000"), BROWSER], [b"x" * 1000])
    assert not sent and given == [{"type": "http.request", "body": b"", "more_body": False}]


def test_what_would_be_thrown_away_has_a_limit_and_programs_get_no_page():
    for headers, path in (
        ([(b"content-length", b"2000000000"), BROWSER], "/"),
        ([(b"content-length", b"9" * 30), BROWSER], "/"),
        ([(b"content-length", b"2000000"), BROWSER], "/api/v1/experiments"),
        ([(b"content-length", b"100000000")], "/"),
    ):
        sent, given = answers(headers, [], path)
        assert sent[0]["status"] == 413 and not given
        assert (b"connection", b"close") in sent[0]["headers"]
