"""The web process keeps a few threads with their database connections, whatever number of requests it had at once."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from econevals_site.serving.threads import MOST_IDLE
from tests.episodes.served import served
from tests.running_site import wait_until


def connections(site):
    """Open files of the database, one for each connection."""
    files = Path(f"/proc/{site.process.pid}/fd").iterdir()
    return sum(file.readlink().name == "econevals.sqlite3" for file in files)


def test_requests_in_turn_share_a_connection_and_of_many_at_once_a_few_are_kept(tmp_path):
    with served(tmp_path) as site:
        for _ in range(5):
            site.ask("GET", "/me")
        assert connections(site) == 1
        with ThreadPoolExecutor(4 * MOST_IDLE) as pool:
            list(pool.map(lambda _: site.ask("GET", "/runs"), range(8 * MOST_IDLE)))
        wait_until(lambda: connections(site) <= MOST_IDLE, lambda: f"{connections(site)} connections", seconds=20)
        assert site.ask("GET", "/me")
