"""The web process is killed between the commit of an action and its answer: sent again, the action is played once."""

import json
import os
import signal
import sqlite3
import time
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException

import pytest

from tests.episodes.served import ServedSite

pytestmark = pytest.mark.long
PERIODS, LEAST_KILLS = 12, 4
MODERN = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "set_prices",
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


def by_rest(period, prices):
    return "PUT", f"/api/v1/episode/periods/{period}/action", {"action": prices}, {}


def by_mcp(period, prices, headers=MODERN, meta=META):
    arguments = {"period": period, "prices_dict_str": json.dumps(prices)}
    params = {"name": "set_prices", "arguments": arguments} | ({"_meta": meta} if meta else {})
    return "POST", "/mcp", {"jsonrpc": "2.0", "id": period, "method": "tools/call", "params": params}, headers


def by_older_mcp(period, prices):
    return by_mcp(period, prices, headers={"MCP-Protocol-Version": "2025-11-25"}, meta=None)


FORMS = (by_rest, by_mcp, by_older_mcp)


class Sender:
    def __init__(self, site, token):
        self.site, self.token = site, token

    def send(self, method, path, body, headers):
        """Send a request and return the connection, on which the answer is still to be read."""
        connection = HTTPConnection("127.0.0.1", self.site.port, timeout=60)
        headers = headers | {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        connection.request(method, path, json.dumps(body), headers)
        return connection

    def answer(self, connection):
        """The body of the answer; empty if the server was gone before it sent one."""
        with closing(connection), suppress(HTTPException, OSError):
            return connection.getresponse().read().decode()
        return ""


def test_an_action_whose_answer_died_with_the_process_is_played_once(tmp_path):
    site = ServedSite(tmp_path / "site", ECONEVALS_API_REQUESTS="100000")
    site.start()
    try:
        tormented, plain = (site.open_episode(periods=PERIODS) for _ in range(2))
        sender = Sender(site, tormented["token"])
        killed = 0
        for period in range(PERIODS):
            request = FORMS[period % 3](period, {"Product_1": 4 + period % 5})
            connection = sender.send(*request)
            if period % 4 != 3:
                kill_after_commit(site, period + 1)
                answer = sender.answer(connection)
                killed += not answer
                site.start()
                connection = sender.send(*request)
            answer = sender.answer(connection)
            assert "Accepted" in answer or "before" in answer or json.loads(answer).get("chain"), answer
        for period in range(PERIODS):
            method, path, body, _ = by_rest(period, {"Product_1": 4 + period % 5})
            assert site.ask(method, path.removeprefix("/api/v1"), plain["token"], json=body)["chain"]
        assert killed >= LEAST_KILLS, f"only {killed} answers were lost"
        assert journal(site, tormented) == journal(site, plain)
        runs = [site.ask("GET", f"/runs/{one['run']}") for one in (tormented, plain)]
        assert [run["periods_played"] for run in runs] == [PERIODS] * 2
        assert runs[0]["score"] == runs[1]["score"]
    finally:
        site.stop()


def kill_after_commit(site, entries):
    """SIGKILL as soon as the database holds so many entries of the journal."""
    deadline = time.monotonic() + 60
    with closing(sqlite3.connect(site.folder / "econevals.sqlite3", timeout=30)) as database:
        while database.execute("SELECT count(*) FROM episodes_journalentry").fetchone()[0] < entries:
            assert time.monotonic() < deadline
    os.kill(site.process.pid, signal.SIGKILL)
    site.process.wait()


def journal(site, episode):
    return [{name: value for name, value in one.items() if name != "created_at"} for one in site.journal(episode["id"])]
