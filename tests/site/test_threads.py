"""The web process keeps a few threads with database connections, and few requests compute concurrently."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from asgiref.sync import sync_to_async
from django.http import HttpRequest, StreamingHttpResponse

from econevals_site.serving.threads import MOST_IDLE, ThreadKeepingHandler
from infrastructure import connections
from infrastructure.connections import TURNS, let_go_of_connection, release_connection
from tests.runs.episodes.served import served
from tests.waiting import patience, took, wait_until


def threads(site):
    return len([*Path(f"/proc/{site.process.pid}/task").iterdir()])


@pytest.mark.long
def test_sequential_requests_share_a_thread_and_idle_threads_are_few(tmp_path):
    with served(tmp_path) as site:
        without = threads(site)
        for _ in range(10):
            site.ask("GET", "/me")
        assert threads(site) <= without + 2, "a request may come before the one before it is closed"
        with ThreadPoolExecutor(4 * MOST_IDLE) as pool:
            list(pool.map(lambda _: site.ask("GET", "/runs"), range(8 * MOST_IDLE)))
        wait_until(lambda: threads(site) <= without + MOST_IDLE, lambda: f"{threads(site)} threads")
        assert site.ask("GET", "/me")


def seconds_until_another_starts(waits_for_network):
    """How long a request waits while TURNS others stay inside their views. TimeoutError where it waits for them."""
    inside, done = threading.Barrier(TURNS + 1), threading.Event()

    def stay(request):
        if waits_for_network:
            let_go_of_connection()
        inside.wait()
        done.wait()

    with ThreadPoolExecutor(TURNS + 1) as pool:
        stuck = [pool.submit(release_connection(stay), HttpRequest()) for _ in range(TURNS)]
        inside.wait()
        try:
            other = release_connection(lambda request: None)
            return took(lambda: pool.submit(other, HttpRequest()).result(patience()))
        finally:
            done.set()
            [one.result() for one in stuck]


@pytest.mark.long
def test_a_request_waits_a_limited_time_and_not_for_network_waiters(monkeypatch):
    assert seconds_until_another_starts(waits_for_network=False) >= connections.LONGEST_WAIT
    monkeypatch.setattr(connections, "LONGEST_WAIT", 2 * patience())
    seconds_until_another_starts(waits_for_network=True)


class EndlessDownload(ThreadKeepingHandler):
    """Answers every request with parts that name the thread that made them."""

    def get_response(self, request):
        async def parts():
            while True:
                yield await sync_to_async(lambda: threading.current_thread().name.encode())()

        self.response = StreamingHttpResponse(parts())
        return self.response


def test_a_download_ends_when_its_client_leaves_and_uses_a_single_thread():
    site, received = EndlessDownload(), []

    async def download():
        has_left, incoming = asyncio.Event(), iter([{"type": "http.request"}])

        async def receive():
            if message := next(incoming, None):
                return message
            await has_left.wait()
            return {"type": "http.disconnect"}

        async def send(message):
            received.append(message.get("body"))
            if len(received) > 3:
                has_left.set()

        scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b""}
        await asyncio.wait_for(site(scope, receive, send), patience())

    with ThreadPoolExecutor(1) as pool:
        pool.submit(asyncio.run, download()).result()
    assert site.response.closed and len(set(received[1:])) == 1 and received[1].startswith(b"request")
