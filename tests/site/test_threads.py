"""The web process keeps a few threads with their database connections, and few requests compute at once."""

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from econevals_site.serving.threads import MOST_IDLE
from infrastructure.connections import LONGEST_WAIT, TURNS, let_go_of_connection, release_connection
from tests.episodes.served import served
from tests.running_site import wait_until


def threads(site):
    return len([*Path(f"/proc/{site.process.pid}/task").iterdir()])


def test_requests_in_turn_share_a_thread_and_of_many_at_once_a_few_are_kept(tmp_path):
    with served(tmp_path) as site:
        without = threads(site)
        for _ in range(10):
            site.ask("GET", "/me")
        assert threads(site) <= without + 2, "a request may come before the one before it is closed"
        with ThreadPoolExecutor(4 * MOST_IDLE) as pool:
            list(pool.map(lambda _: site.ask("GET", "/runs"), range(8 * MOST_IDLE)))
        wait_until(lambda: threads(site) <= without + MOST_IDLE, lambda: f"{threads(site)} threads", seconds=20)
        assert site.ask("GET", "/me")


def seconds_until_another_starts(waits_for_network):
    """How long a request waits while TURNS others stay inside their views."""
    inside, done = threading.Barrier(TURNS + 1), threading.Event()

    def stay(request):
        if waits_for_network:
            let_go_of_connection()
        inside.wait()
        done.wait(20)

    with ThreadPoolExecutor(TURNS + 1) as pool:
        stuck = [pool.submit(release_connection(stay), None) for _ in range(TURNS)]
        inside.wait()
        began = time.monotonic()
        started = pool.submit(release_connection(lambda request: time.monotonic()), None).result()
        done.set()
        [one.result() for one in stuck]
    return started - began


def test_a_request_waits_for_its_turn_but_not_for_ever_and_not_for_those_that_wait_for_the_network():
    assert LONGEST_WAIT <= seconds_until_another_starts(waits_for_network=False) < LONGEST_WAIT + 5
    assert seconds_until_another_starts(waits_for_network=True) < LONGEST_WAIT
