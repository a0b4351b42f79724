"""How the client reaches a site: repeated requests, trusted certificates, and secrets that it never reveals."""

import datetime
import ipaddress
import logging
import select
import socket
import ssl
import threading
from email.utils import format_datetime

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

import econevals
from econevals.connection import Connection
from tests.client.small_site import Reply, small_site

TOKEN = "ee_0123456789abcdef0123456789abcdef01234567"
ME = {"organization": "Market Lab"}


@pytest.fixture
def asked():
    """Request /me from a site with scripted replies, of which the last repeats; the answer and the site's requests."""

    def ask(*replies, **options):
        with small_site(lambda request, number: replies[min(number, len(replies) - 1)]) as site:
            client = econevals.connect(site.url, TOKEN, **options)
            return client.me(), site.requests

    return ask


# Repeating


def test_requests_share_one_connection_and_carry_the_token():
    with small_site(lambda request, number: Reply(ME)) as site, econevals.connect(site.url, TOKEN) as client:
        assert [client.me() for _ in range(5)] == [ME] * 5
        assert len({request.connection for request in site.requests}) == 1
        assert {request.headers["authorization"] for request in site.requests} == {f"Bearer {TOKEN}"}
        assert {request.path for request in site.requests} == {"/api/v1/me"}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "trouble",
    [
        Reply(status=None),
        Reply(status=500, data={"error": {"code": "our_mistake", "message": "Sorry.", "fields": {}}}),
        Reply(status=502, raw=b"<html>Bad gateway</html>"),
        Reply(status=503, headers={"retry-after": "0"}),
        Reply(status=429, headers={"Retry-After": "0"}),
        Reply(status=409, headers={"Retry-After": "0"}, data={"error": {"code": "preparing", "message": "Soon."}}),
    ],
    ids=["lost", "mistake", "gateway", "away", "too many", "preparing"],
)
def test_an_unanswered_request_is_repeated(trouble, asked):
    answer, requests = asked(trouble, trouble, Reply(ME))
    assert answer == ME and len(requests) == 3


def test_a_connection_closed_by_the_site_causes_no_delay(caplog):
    with small_site(lambda request, number: Reply(ME, close=True)) as site:
        client = econevals.connect(site.url, TOKEN)
        assert [client.me() for _ in range(4)] == [ME] * 4
    assert caplog.records == []


def test_the_client_waits_as_long_as_retry_after_states(monkeypatch, asked):
    waited = []
    monkeypatch.setattr("time.sleep", waited.append)
    date = datetime.datetime.now(datetime.UTC) + datetime.timedelta(seconds=30)
    answer, _ = asked(
        Reply(status=429, headers={"Retry-After": "7"}),
        Reply(status=503, headers={"Retry-After": format_datetime(date, usegmt=True)}),
        Reply(status=503, headers={"Retry-After": "soon"}),
        Reply(ME),
    )
    assert answer == ME and waited[0] == 7 and 28 <= waited[1] <= 30 and 0.5 <= waited[2] <= 4


def test_a_refused_request_is_not_repeated(asked):
    error = {"code": "invalid", "message": "Choose an agent.", "fields": {"agents": "Choose an agent."}}
    with pytest.raises(econevals.Refused, match="^Choose an agent.$") as refused:
        asked(Reply({"error": error}, status=422))
    assert (refused.value.status, refused.value.code) == (422, "invalid")
    assert refused.value.fields == {"agents": "Choose an agent."}


def test_the_last_error_is_raised_when_the_patience_ends(asked):
    with pytest.raises(econevals.Refused) as refused:
        asked(Reply(status=503, headers={"Retry-After": "60"}), patience=0.1)
    assert refused.value.status == 503
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        with pytest.raises(econevals.NoAnswer, match="127.0.0.1:[0-9]+ does not answer: .*refused"):
            econevals.connect(f"http://127.0.0.1:{closed.getsockname()[1]}", TOKEN, patience=0.1).me()


def test_threads_may_share_a_client():
    with small_site(lambda request, number: Reply({"path": request.path})) as site:
        client = econevals.connect(site.url, TOKEN)
        found = {}

        def ask(number):
            found[number] = [client.run(number)["path"] for _ in range(20)]

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {number: [f"/api/v1/runs/{number}"] * 20 for number in range(4)}


def test_a_repeated_launch_sends_the_same_key():
    with small_site(lambda request, number: Reply(status=None) if number == 0 else Reply({"id": 1}, 201)) as site:
        client = econevals.connect(site.url, TOKEN)
        client.launch(environments=["pricing"])
        client.launch(environments=["pricing"])
        client.launch(environments=["pricing"], key="mine")
        keys = [request.headers["idempotency-key"] for request in site.requests]
    assert keys[0] == keys[1] != keys[2] and keys[3] == "mine"


# Trust


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A certificate that this machine made for itself: a file with the key and the certificate."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "127.0.0.1")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), False)
        .sign(key, hashes.SHA256())
    )
    file = tmp_path_factory.mktemp("tls") / "site.pem"
    plain = serialization.NoEncryption()
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, plain)
    file.write_bytes(pem + made.public_bytes(serialization.Encoding.PEM))
    return file


def test_a_site_without_a_valid_certificate_gets_no_request(certificate):
    with small_site(lambda request, number: Reply(ME), certificate) as site:
        with pytest.raises(econevals.NoAnswer, match="is not trusted: self-signed certificate"):
            econevals.connect(site.url, TOKEN).me()
        assert site.requests == []


def test_a_certificate_of_a_private_authority_is_trusted_by_a_context(certificate):
    context = ssl.create_default_context(cafile=certificate)
    with small_site(lambda request, number: Reply(ME), certificate) as site:
        assert econevals.connect(site.url, TOKEN, context=context).me() == ME


def test_https_goes_through_the_proxy_of_the_environment(certificate, monkeypatch):
    context = ssl.create_default_context(cafile=certificate)
    with small_site(lambda request, number: Reply(ME), certificate) as site, _proxy() as (address, asked):
        monkeypatch.setenv("https_proxy", address)
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert econevals.connect(site.url, TOKEN, context=context).me() == ME
        assert asked == [f"CONNECT 127.0.0.1:{site.port} HTTP/1.1"] or asked == [
            f"CONNECT 127.0.0.1:{site.port} HTTP/1.0"
        ]
        monkeypatch.setenv("no_proxy", "127.0.0.1")
        assert econevals.connect(site.url, TOKEN, context=context).me() == ME
        assert len(asked) == 1


class _proxy:
    """A proxy for a single tunnel; its address and the first lines of its requests."""

    def __enter__(self):
        self._listening = socket.create_server(("127.0.0.1", 0))
        self._asked = []
        threading.Thread(target=self._tunnel, daemon=True).start()
        return f"http://127.0.0.1:{self._listening.getsockname()[1]}", self._asked

    def __exit__(self, *_):
        self._listening.close()

    def _tunnel(self):
        client, _ = self._listening.accept()
        head = b""
        while b"\r\n\r\n" not in head:
            head += client.recv(4096)
        assert TOKEN.encode() not in head
        self._asked.append(head.split(b"\r\n")[0].decode())
        host, port = self._asked[0].split()[1].split(":")
        target = socket.create_connection((host, int(port)))
        client.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
        other = {client: target, target: client}
        while True:
            for ready in select.select(list(other), [], [])[0]:
                data = ready.recv(65536)
                if not data:
                    return
                other[ready].sendall(data)


@pytest.mark.parametrize("url", ["http://evals.example.org", "http://192.168.1.5:8000", "http://localhost.example.org"])
def test_a_token_is_not_sent_over_plain_http_to_another_machine(url):
    with pytest.raises(ValueError, match="could read the token; use https"):
        econevals.connect(url, TOKEN)
    econevals.connect(url, TOKEN, allow_plain_http=True)


@pytest.mark.parametrize(
    "url", ["http://localhost:8000", "http://127.0.0.1:8000/", "http://[::1]:8000", "https://a.example"]
)
def test_plain_http_to_this_machine_and_https_are_allowed(url):
    assert econevals.connect(url, TOKEN).url == url.rstrip("/")


@pytest.mark.parametrize(
    "url",
    [
        "",
        "evals.example.org",
        "ftp://a.example",
        "https://",
        "https://u:p@a.example",
        "https://a.example:x",
        "https://a?b=c",
    ],
)
def test_an_invalid_address_is_refused_with_a_sentence(url):
    with pytest.raises(ValueError, match="is not the address of a site; it should look like"):
        econevals.connect(url, TOKEN)


@pytest.mark.parametrize("suffix", ["", "/", "/api/v1", "/api/v1/"])
def test_the_address_of_the_site_and_of_its_api_are_accepted(suffix):
    with small_site(lambda request, number: Reply(ME)) as site:
        econevals.connect(f"{site.url}/evals{suffix}", TOKEN).me()
    assert [request.path for request in site.requests] == ["/evals/api/v1/me"]


def test_a_redirect_is_not_followed_with_the_token():
    with small_site(lambda request, number: Reply(ME)) as elsewhere:
        moved = Reply(status=302, headers={"Location": f"{elsewhere.url}/login/"}, raw=b"")
        with (
            small_site(lambda request, number: moved) as site,
            pytest.raises(econevals.Refused, match=f"status 302 to {elsewhere.url}/login/"),
        ):
            econevals.connect(site.url, TOKEN).me()
        assert elsewhere.requests == []


def test_an_answer_that_is_not_from_the_api_is_reported(asked):
    with pytest.raises(econevals.Refused, match="is not JSON, so this is not an EconEvals site"):
        asked(Reply(raw=b"<html>Hello</html>"))
    with pytest.raises(econevals.Refused, match="answered with status 404"):
        asked(Reply(status=404, raw=b"<html>Not found</html>"))


@pytest.mark.parametrize("token", ["", "  ", "ee_\nX-Evil: 1", "ee_ü", "ee_a b"])
def test_an_invalid_token_is_refused_without_repeating_it(token):
    with pytest.raises(ValueError) as error:
        econevals.connect("https://evals.example.org", token)
    assert str(error.value) == "The token is empty or has characters that no token has."


def test_no_message_log_or_representation_holds_a_token(caplog):
    caplog.set_level(logging.DEBUG)
    replies = [Reply(status=None), Reply({"error": {"code": "not_authenticated", "message": "No."}}, status=401)]
    with small_site(lambda request, number: replies[number]) as site:
        client = econevals.connect(site.url, TOKEN)
        connection = Connection(site.url, TOKEN)
        with pytest.raises(econevals.Refused) as error:
            client.me()
    seat = econevals.Seat(site.url, TOKEN)
    said = [repr(one) for one in (client, connection, vars(connection), seat, error.value)] + [caplog.text]
    assert not any(TOKEN in text for text in said)
    assert "trying again in" in caplog.text


# Lists


def test_lists_are_read_to_their_end_or_to_a_limit():
    def answer(request, number):
        query = dict(pair.split("=") for pair in request.path.partition("?")[2].split("&"))
        start = int(query.get("cursor", 0))
        end = min(start + int(query["limit"]), 450)
        return Reply({"items": [{"id": i} for i in range(start, end)], "next_cursor": str(end) if end < 450 else None})

    with small_site(answer) as site:
        client = econevals.connect(site.url, TOKEN)
        assert [row["id"] for row in client.runs(agent="a b")] == list(range(450))
        assert all("agent=a+b" in request.path for request in site.requests) and len(site.requests) == 3
        assert len(client.runs(most=250)) == 250
        assert client.runs(most=0) == []


def test_nested_fields_become_columns_of_a_frame():
    periods = econevals.Rows([{"period": 0, "outcome": {"profit": 2.0}}, {"period": 1, "outcome": {"profit": 3.0}}])
    assert periods.frame()["outcome.profit"].tolist() == [2.0, 3.0]
    board = econevals.Rows(
        [
            {"name": "A", "cells": [{"environment": "e", "mean": 0.5}, {"environment": "f", "mean": None}]},
            {"name": "B", "cells": []},
        ]
    )
    assert board.frame().columns.tolist() == ["name", "environment", "mean"]
    assert board.frame()["name"].tolist() == ["A", "A"]
    assert len(econevals.Rows().frame()) == 0
