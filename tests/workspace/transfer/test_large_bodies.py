"""An oversized request is refused before it is read."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import pytest

from econevals_site.serving import bodies
from econevals_site.serving.bodies import FORM_BYTES, IMPORT, MOST_BYTES, BodyLimit


def answers(headers, parts, path="/"):
    """The messages that the server sends, and those that the application receives."""
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

    limited = BodyLimit(app)({"type": "http", "path": path, "headers": headers}, receive, send)
    # In a thread of its own, since a browser test before may have left a running loop in this one.
    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, limited).result()
    return sent, given


BROWSER = (b"accept", b"text/html,application/xhtml+xml")


@pytest.mark.parametrize(
    ("headers", "path"),
    [
        ([(b"content-length", b"1000000000")], "/"),
        ([(b"content-length", b"100000000")], "/"),
        ([(b"content-length", b"2000000000"), BROWSER], "/"),
        ([(b"content-length", b"9" * 30), BROWSER], "/"),
        ([(b"content-length", b"2000000"), BROWSER], "/api/v1/experiments"),
    ],
)
def test_an_oversized_body_is_refused_unread_and_programs_get_no_page(headers, path):
    sent, given = answers(headers, [], path)
    assert sent[0]["status"] == 413 and not given
    assert (b"connection", b"close") in sent[0]["headers"]


def test_a_body_without_a_stated_length_is_cut_off(monkeypatch):
    sent, given = answers([], [b"x" * (FORM_BYTES // 4)] * 8)
    assert sent[0]["status"] == 413 and len(given) == 4
    monkeypatch.setattr(bodies, "signed_in", lambda headers: "1")
    sent, given = answers([], [b"x" * (MOST_BYTES // 4)] * 8, IMPORT)
    assert sent[0]["status"] == 413 and len(given) == 4


def test_an_ordinary_body_is_accepted():
    sent, given = answers([(b"content-length", b"3")], [b"abc"])
    assert not sent and given[0]["body"] == b"abc"


@pytest.mark.long
def test_a_browser_gets_an_error_page_of_the_application():
    sent, given = answers([(b"content-length", b"100000000"), BROWSER], [b"x" * 1000])
    assert not sent and given == [{"type": "http.request", "body": b"", "more_body": False}]
