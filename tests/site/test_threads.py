"""The web process keeps a few threads with their database connections, whatever number of requests it had at once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from econevals_site.serving.threads import MOST_IDLE
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
