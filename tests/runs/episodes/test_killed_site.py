"""The web process is killed between the commit of an action and its answer; the repeated action is played once.

One episode is played by REST, by MCP in both eras and by the form of a person in turn, on both databases.
"""

import json
import os
import signal
import sqlite3
from contextlib import closing, suppress
from http.client import HTTPConnection, HTTPException
from urllib.parse import urlencode

import psycopg
import pytest

from tests.conftest import need
from tests.data_folders import run_on
from tests.faults.stages import Stage
from tests.runs.episodes.served import ServedSite
from tests.waiting import patience, wait_until

pytestmark = pytest.mark.long
PERIODS, LEAST_KILLS = 8, 4
MODERN = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": "tools/call",
    "Mcp-Name": "set_prices",
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


JSON = {"Content-Type": "application/json"}
CSRF = "a" * 32
PERSON = """
from django.utils import timezone
from accounts.secrets import token_hash
from runs.episodes.models import Seat
from pages.play.models import Participant, Study
seat = Seat.objects.get(token_hash=token_hash({token!r}))
kind = {{"environment": "pricing", "difficulty": "BASIC", "consent": "Yes."}}
study = Study.objects.create(organization=seat.episode.organization, name="A study", title="A study", **kind)
known = {{"secret_hash": token_hash({token!r}), "consented_at": timezone.now()}}
Participant.objects.create(study=study, number=1, seat=seat, **known)
"""
"""Lets a person play a seat by the page of a link with the secret of its token."""


def by_rest(token, period, prices):
    return "PUT", f"/api/v1/episode/periods/{period}/action", json.dumps({"action": prices}), JSON


def by_mcp(token, period, prices, headers=MODERN, meta=META):
    arguments = {"period": period, "prices_dict_str": json.dumps(prices)}
    params = {"name": "set_prices", "arguments": arguments} | ({"_meta": meta} if meta else {})
    call = {"jsonrpc": "2.0", "id": period, "method": "tools/call", "params": params}
    return "POST", "/mcp", json.dumps(call), JSON | headers


def by_older_mcp(token, period, prices):
    return by_mcp(token, period, prices, headers={"MCP-Protocol-Version": "2025-11-25"}, meta=None)


def by_form(token, period, prices):
    body = urlencode({"csrfmiddlewaretoken": CSRF, "a0": prices["Product_1"], "notes": ""})
    headers = {"Content-Type": "application/x-www-form-urlencoded", "Cookie": f"csrftoken={CSRF}"}
    return "POST", f"/p/{token}/periods/{period}/", body, headers


FORMS = (by_rest, by_mcp, by_older_mcp, by_form)


@pytest.fixture(params=["SQLite", "PostgreSQL"])
def site(request, tmp_path):
    limits = {"ECONEVALS_API_REQUESTS": "100000"}
    if request.param == "SQLite":
        yield ServedSite(tmp_path / "site", **limits)
        return
    server = os.environ.get("TEST_DATABASE_URL", "")
    need("PostgreSQL (TEST_DATABASE_URL)", bool(server))
    with Stage.on_postgres(tmp_path / "stage", server) as stage:
        names = ("DATABASE_URL", "SECRET_KEY")
        yield ServedSite(tmp_path / "site", **limits, **{name: stage.variables[name] for name in names})


def send(site, token, method, path, body, headers):
    """Send a request and return the connection, on which the answer is still to be read."""
    connection = HTTPConnection("127.0.0.1", site.port, timeout=patience())
    connection.request(method, path, body, {"Authorization": f"Bearer {token}"} | headers)
    return connection


def answer(connection):
    """Status and body of the answer; None if the server was gone before it sent one."""
    with closing(connection), suppress(HTTPException, OSError):
        response = connection.getresponse()
        return response.status, response.read().decode()
    return None


def test_an_action_whose_answer_was_lost_in_a_kill_is_played_once(site):
    site.start()
    try:
        tormented, plain = (site.open_episode(periods=PERIODS) for _ in range(2))
        token = tormented["token"]
        run_on(site.folder, PERSON.format(token=token), **site.variables)
        killed = 0
        for period in range(PERIODS):
            prices = {"Product_1": 4 + period % 5}
            request = FORMS[period % 4](token, period, prices)
            connection = send(site, token, *request)
            kill_after_commit(site, period + 1)
            killed += answer(connection) is None
            site.start()
            status, text = answer(send(site, token, *request))
            assert status == 302 or "Accepted" in text or "before" in text or json.loads(text).get("chain"), text
            assert site.ask("PUT", f"/episode/periods/{period}/action", plain["token"], json={"action": prices})[
                "chain"
            ]
        assert killed >= LEAST_KILLS, f"only {killed} answers were lost"
        assert journal(site, tormented) == journal(site, plain)
        runs = [site.ask("GET", f"/runs/{one['run']}") for one in (tormented, plain)]
        assert [run["periods_played"] for run in runs] == [PERIODS] * 2
        assert runs[0]["score"] == runs[1]["score"]
    finally:
        site.stop()


def kill_after_commit(site, actions):
    """SIGKILL as soon as the database holds so many actions of the first seat."""
    url = site.variables.get("DATABASE_URL", "")
    seat = "SELECT min(id) FROM episodes_seat"
    asked = f"SELECT count(*) FROM episodes_journalentry WHERE is_action AND seat_id = ({seat})"
    file = site.folder / "econevals.sqlite3"
    connection = psycopg.connect(url, autocommit=True) if url else sqlite3.connect(file, timeout=patience())
    with closing(connection) as database:
        count = lambda: database.execute(asked).fetchone()[0]  # noqa: E731
        wait_until(lambda: count() >= actions, lambda: f"{count()} of {actions} actions are stored.", every=0)
    os.kill(site.process.pid, signal.SIGKILL)
    site.process.wait()


def journal(site, episode):
    return [{name: value for name, value in one.items() if name != "created_at"} for one in site.journal(episode["id"])]
