"""Clients that do not read, send slowly, or make the site wait for other servers do not block other people.

The site uses PostgreSQL, where all requests of a process share sixteen connections."""

import http.client
import json
import os
import select
import socket
import subprocess
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace

import pytest
import requests

from econevals_site.serving.server import MOST_PER_ADDRESS
from tests.conftest import need
from tests.data_folders import ROOT
from tests.faults.stages import Stage
from tests.running_site import free_port, listens
from tests.security.waiting_site import NOTE, NOTES
from tests.waiting import patience, slowness, took, wait_until

CLIENTS = 24
SECONDS = 6.0
"""The deadline of slow clients on a machine of usual speed. On a slower one the site has a longer deadline."""
ESTABLISHED = "01"
CSRF = "c" * 32
pytestmark = pytest.mark.long


class Waiting(SimpleNamespace):
    """The site's port, its deadline and what it told of itself: run, agent, webhook, token, and sessions of members."""

    def cookie(self, number=0):
        return f"Cookie: sessionid={self.sessions[number % len(self.sessions)]}; csrftoken={CSRF}\r\n"

    def connect(self, head=""):
        """A client that takes four kilobytes, after it sent the head of a request."""
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        client.settimeout(patience())
        client.connect(("127.0.0.1", self.port))
        if head:
            client.sendall(head.encode())
        return client

    def get(self, path, cookie=""):
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{cookie}\r\n"

    def post(self, path, length, number=0):
        kind = "Content-Type: application/x-www-form-urlencoded\r\n"
        return (
            f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{kind}X-CSRFToken: {CSRF}\r\n"
            f"{self.cookie(number)}Content-Length: {length}\r\n\r\n"
        )

    def connections(self):
        """How many connections the site keeps open. One that it cut off is no longer established."""
        rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
        return sum(row[1].endswith(f":{self.port:04X}") and row[3] == ESTABLISHED for row in rows)

    def shows_home(self):
        cookies = {"sessionid": self.sessions[0]}
        answer = requests.get(f"http://127.0.0.1:{self.port}/", cookies=cookies, timeout=patience())
        return answer.status_code == 200 and "Market Lab" in answer.text


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    server = os.environ.get("TEST_DATABASE_URL", "")
    need("PostgreSQL (TEST_DATABASE_URL)", bool(server))
    port, deadline = free_port(), SECONDS * slowness()
    with (
        Stage.on_postgres(tmp_path_factory.mktemp("waiting"), server) as stage,
        socket.create_server(("127.0.0.1", 0), backlog=200) as outside,
    ):
        address = f"http://127.0.0.1:{outside.getsockname()[1]}"
        sign_on = {"ISSUER": address, "CLIENT_ID": "econevals", "SECRET": "only-for-tests"}
        variables = stage.variables | {f"ECONEVALS_OIDC_{name}": value for name, value in sign_on.items()}
        variables["EMAIL_URL"] = address.replace("http:", "smtp:")
        words = ["tests.security.waiting_site", str(port), address.rpartition(":")[2], str(deadline)]
        command = [sys.executable, "-m", *words]
        process = subprocess.Popen(command, cwd=ROOT, env=variables, stdout=subprocess.PIPE)
        try:
            told = json.loads(process.stdout.readline())
            wait_until(lambda: listens(port), lambda: "The site does not start.")
            yield Waiting(port=port, deadline=deadline, **told)
        finally:
            process.kill()
            process.wait()


def received_until_the_end(client):
    """What came before the connection ended. Raises TimeoutError where it does not end."""
    received = b""
    with suppress(ConnectionError):
        while part := client.recv(65536):
            received += part
    return received


@contextmanager
def attacked(site, head):
    """Many clients send a head at once. The block begins when the home page was shown to somebody else."""
    with ExitStack() as clients:
        opened = [clients.enter_context(site.connect(head(number))) for number in range(CLIENTS)]
        time.sleep(1.5)
        assert site.shows_home()
        yield opened


def check_a_home_page_and_a_cut(site, head):
    """The home page is shown before the clients are cut off, which do not get the whole answer."""
    with attacked(site, head) as opened:
        assert site.connections() >= CLIENTS
        wait_until(lambda: not site.connections(), lambda: f"{site.connections()} connections are open.")
        for client in opened:
            assert 0 < len(received_until_the_end(client)) < len(NOTE) * NOTES / 2


def test_clients_that_do_not_read_an_export_do_not_block_the_site(site):
    export = f"/runs/{site.run}/run.jsonl"
    check_a_home_page_and_a_cut(site, lambda number: site.get(export, site.cookie(number)))


def test_clients_that_do_not_read_a_shared_page_do_not_block_the_site(site):
    check_a_home_page_and_a_cut(site, lambda number: site.get(f"/s/{site.token}/runs/1/notes/"))


@pytest.mark.parametrize("where", ["head", "body", "trailer"])
def test_clients_that_send_single_bytes_do_not_block_the_site(site, where):
    """They are cut off at the deadline, though each byte comes in time."""
    body = "POST /login/ HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    head = {
        "head": "GET / HTTP/1.1\r\nX-Long: ",
        "body": f"{body}Content-Length: 60000\r\n\r\n",
        "trailer": f"{body}Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\nX-Long: ",
    }[where]
    with ExitStack() as clients:
        opened = [clients.enter_context(site.connect(head)) for _ in range(CLIENTS)]
        left = lambda: [client for client in opened if takes_a_byte(client)]  # noqa: E731
        wait_until(lambda: not left(), lambda: f"{len(left())} clients still send.", every=0.2)
    assert site.shows_home()


def takes_a_byte(client):
    try:
        client.sendall(b"x")
    except ConnectionError:
        return False
    return True


def test_an_endless_request_head_is_cut_off_at_once(site):
    """After less than the system keeps for a connection and the site reads until its deadline."""
    with site.connect("GET / HTTP/1.1\r\nX-Long: ") as client, pytest.raises(ConnectionError):
        for _ in range(16 * 16):  # 16 MB
            client.sendall(b"x" * 65536)


def test_a_slow_download_that_continues_is_complete(site):
    """For longer than the deadline."""
    connection = http.client.HTTPConnection("127.0.0.1", site.port)
    connection.sock = site.connect()
    connection.request("GET", f"/runs/{site.run}/run.jsonl", headers={"Cookie": f"sessionid={site.sessions[0]}"})
    answer, received = connection.getresponse(), b""

    def read():
        nonlocal received
        while part := answer.read(15_000):
            received += part
            time.sleep(site.deadline / 16)

    assert took(read) > site.deadline
    connection.close()
    assert received.count(NOTE.encode()) == 2 * NOTES, "each note stands in notes and in notes_by_seat"


@pytest.mark.parametrize(
    "address", ["/agents/{agent}/test/", "/organization/webhooks/{webhook}/test/", "/account/oidc/sso/login/"]
)
def test_silent_endpoints_and_identity_providers_do_not_block_the_site(site, address):
    """Visitors come to the identity provider with a cookie of any session, which is looked up first."""
    path, ours = address.format(agent=site.agent, webhook=site.webhook), "webhooks" in address
    check_a_home_page_meanwhile(site, lambda number: site.post(path, 0, 0 if ours else number))


def check_a_home_page_meanwhile(site, head):
    """The home page is shown while most of the clients have no answer."""
    with attacked(site, head) as opened:
        answered, _, _ = select.select(opened, [], [], 0)
        assert len(answered) < CLIENTS / 2


def test_a_silent_mail_server_does_not_block_the_site(site):
    def invited(number):
        body = f"email=guest-{number}@example.org&role=viewer"
        return site.post("/organization/invitations/", len(body)) + body

    with attacked(site, invited) as opened:
        answered = lambda: len(select.select(opened, [], [], 0)[0])  # noqa: E731
        wait_until(lambda: answered() == CLIENTS, lambda: f"{answered()} of {CLIENTS} are answered.")


def test_connections_of_an_address_are_limited(site):
    with ExitStack() as clients:
        for _ in range(MOST_PER_ADDRESS):
            clients.enter_context(site.connect())
        time.sleep(0.2)
        with site.connect() as one_more:
            assert one_more.recv(4096).startswith(b"HTTP/1.1 429 ")
    wait_until(site.shows_home, lambda: "Home is not shown again.")


def sent_large(site, path, cookie):
    """The answer to four megabytes of a file."""
    part = b'--x\r\nContent-Disposition: form-data; name="file"; filename="a.zip"\r\n\r\n'
    body = part + b"x" * 4 * 1024 * 1024 + b"\r\n--x--\r\n"
    kind = f"Content-Type: multipart/form-data; boundary=x\r\nX-CSRFToken: {CSRF}\r\n"
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{kind}{cookie}Content-Length: {len(body)}\r\n\r\n"
    with site.connect(head) as client:
        with suppress(ConnectionError):
            client.sendall(body)
        answer = received_until_the_end(client)
    return int(answer.split()[1]), answer


@pytest.mark.parametrize(
    ("path", "signed_in", "status"),
    [("/experiments/import/", False, 413), ("/login/", True, 413), ("/experiments/import/", True, 422)],
)
def test_only_signed_in_people_can_send_large_bodies(site, path, signed_in, status):
    cookie = site.cookie() if signed_in else f"Cookie: sessionid={'x' * 32}; csrftoken={CSRF}\r\n"
    assert sent_large(site, path, cookie)[0] == status


def test_a_third_concurrent_upload_of_a_person_is_refused(site):
    """Two that stay unfinished are enough."""
    half = b"x" * (7 * 1024 * 1024 // 2)
    with ExitStack() as clients:
        for _ in range(2):
            clients.enter_context(site.connect(site.post("/experiments/import/", 2 * len(half)))).sendall(half)
        refused = lambda: sent_large(site, "/experiments/import/", site.cookie())[0] == 429  # noqa: E731
        wait_until(refused, lambda: "A third upload is taken.")
        assert b"arriving already" in sent_large(site, "/experiments/import/", site.cookie())[1]
        assert sent_large(site, "/experiments/import/", site.cookie(1))[0] == 422
