"""Limits of a request: ten seconds, four kilobytes, no redirects, public addresses."""

import socket
import threading

import pytest
from django.core.exceptions import ValidationError

from agents.addresses import is_public
from tests.workspace.webhooks.receiver import Receiver, Respond
from workspace.webhooks.delivery.sending import DEADLINE_SECONDS, MAX_ANSWER_BYTES, check_webhook_url, send

BODY = b'{"type": "ping"}'


def sent(receiver, answer, seconds=1.0):
    receiver.script = answer
    return send(receiver.url, [("Content-Type", "application/json")], BODY, seconds=seconds)


def test_only_answers_from_200_to_299_are_successes(receiver):
    for status in (200, 201, 204, 299):
        assert sent(receiver, Respond(status, b"")).ok
    for status in (400, 401, 404, 410, 429, 500, 503):
        answer = sent(receiver, Respond(status))
        assert answer.status == status and answer.problem.startswith(f"It answered {status}")
    assert receiver.got[0].body == BODY
    assert sent(receiver, Respond(200, b"\x00\xff<b>hm</b>")).text == "��<b>hm</b>"


def test_a_redirect_is_not_followed(receiver):
    with Receiver() as elsewhere:
        answer = sent(receiver, Respond(302, headers={"Location": elsewhere.url}))
        said = "It answered with a redirect (302), which is not followed. Register the final address."
        assert answer.problem == said
        assert elsewhere.got == []


def test_a_silent_or_slow_receiver_is_given_up_in_time(receiver):
    """Later it would have been taken, and an endless body would be read for ever."""
    for answer in (Respond(delay=60), Respond(raw=b"HTTP/1.1 2")):
        found = sent(receiver, answer, seconds=0.5)
        assert not found.ok and found.status is None
        assert answer.raw or found.problem.startswith("No answer within")
    assert DEADLINE_SECONDS == 10


@pytest.mark.parametrize("pause", [0.0, 0.05])
def test_an_endless_body_is_read_up_to_four_kilobytes_or_the_deadline(receiver, pause):
    answer = sent(receiver, Respond(200, b"", endless=True, pause=pause), seconds=1.0)
    assert answer.ok and len(answer.text) <= MAX_ANSWER_BYTES


def test_an_answer_that_is_not_http_is_explained(receiver):
    for raw in (b"SSH-2.0-OpenSSH_9.2\r\n", b"", b"HTTP/1.1 999999 What\r\n\r\n", b"\xff" * 100):
        answer = sent(receiver, Respond(raw=raw))
        assert not answer.ok and answer.problem.endswith(".") and "Error" not in answer.problem


def test_a_port_without_a_listener_is_explained():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert send(f"http://127.0.0.1:{port}/", [], BODY).problem == "Nobody answers at this address."


def test_plain_http_on_a_tls_port_is_explained(receiver):
    problem = send(receiver.url.replace("http:", "https:"), [], BODY).problem
    assert problem == "Its certificate is not trusted, or it does not speak TLS."


PRIVATE = ["127.0.0.1", "localhost", "10.0.0.7", "169.254.169.254", "0.0.0.0", "224.0.0.1"]
PRIVATE += ["[::1]", "[::ffff:127.0.0.1]", "[fd00::1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"]
# Parsers read these differently, so they are not saved; one that was is judged by what it leads to.
TWO_MEANINGS = ["127.1", "0x7f.1", "2130706433"]


def test_private_addresses_are_refused_on_saving_and_on_calling(settings):
    settings.ALLOW_PRIVATE_ENDPOINTS = False
    said = dict.fromkeys(PRIVATE, "This address is private")
    said |= dict.fromkeys(TWO_MEANINGS, "Write an IP address as four decimal numbers")
    for host, words in said.items():
        url = f"https://{host}/hook"
        with pytest.raises(ValidationError, match=words):
            check_webhook_url(url)
        answer = send(url, [], BODY, seconds=2)
        assert answer.status is None and answer.problem.startswith("This address is private."), host


def test_an_invalid_webhook_address_is_refused():
    site = "https://hooks.example.org"
    nonsense = ["ftp://hooks.example.org/", "file:///etc/passwd", "hooks.example.org", "https://", "https://[::1/"]
    nonsense += ["https://user:word@hooks.example.org/", "https://127.0.0.1/" + "x" * 500]
    nonsense += [site + rest for rest in ("/#part", "/?a=b#part", "/a b", "/ ?a=b", ":99999/", "/?a=b\r\nX-More: 1")]
    for url in nonsense:
        with pytest.raises(ValidationError):
            check_webhook_url(url)


def test_plain_http_is_refused_if_private_addresses_are_forbidden(settings, receiver):
    settings.ALLOW_PRIVATE_ENDPOINTS = False
    with pytest.raises(ValidationError, match="https"):
        check_webhook_url("http://93.184.216.34/hook")
    assert send(receiver.url, [], BODY).problem == "The address must start with https://."
    assert receiver.got == []


def test_a_query_string_is_kept_unchanged(receiver):
    url = check_webhook_url(f"{receiver.url}/?token=a%20b&x=1")
    assert send(url, [], BODY).ok
    assert receiver.got[0].path == "/hook/?token=a%20b&x=1"


def test_a_name_that_later_resolves_to_a_private_address_is_not_called(settings, receiver, monkeypatch):
    """The rebinding of a name: public when it is checked, this machine when it is called."""
    settings.ALLOW_PRIVATE_ENDPOINTS = False
    answers = iter(["93.184.216.34"] + ["127.0.0.1"] * 5)

    def resolve(host, port, **_):
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (next(answers), port))]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    url = check_webhook_url(f"https://rebound.example.org:{receiver.port}/hook")
    assert "private" in send(url, [], BODY).problem
    assert receiver.got == []


def test_a_private_address_among_public_addresses_refuses_the_name(settings, monkeypatch):
    settings.ALLOW_PRIVATE_ENDPOINTS = False
    both = [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (a, 443)) for a in ("93.184.216.34", "10.0.0.1")]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: both)
    assert "private" in send("https://both.example.org/", [], BODY).problem


def test_a_silent_resolver_is_given_up_in_time(monkeypatch):
    answers = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: answers.wait())
    assert not send("https://slow.example.org/", [], BODY, seconds=0.3).ok
    answers.set()


@pytest.mark.long
def test_public_addresses_are_public():
    for address in ("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", "::ffff:93.184.216.34"):
        assert is_public(address)
