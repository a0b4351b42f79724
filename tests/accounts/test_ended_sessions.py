"""Ended sessions: requests redirect the full page to the log-in page and return afterwards."""

from urllib.parse import parse_qs, urlsplit

import pytest
from django.test import Client

PAGE = "http://testserver/runs/?state=finished"
BACK = "/runs/?state=finished"


def back_of(address):
    """Where the log-in page leads afterwards."""
    parts = urlsplit(address)
    assert parts.path == "/login/"
    return parse_qs(parts.query)["next"][0]


@pytest.mark.parametrize(
    "headers",
    [
        {"HX-Request": "true", "HX-Current-URL": PAGE},
        {"Sec-Fetch-Dest": "empty", "Referer": PAGE},
    ],
)
@pytest.mark.parametrize("address", ["/runs/1/periods/0/", "/leaderboard/figure.json", "/"])
def test_a_part_of_a_page_sends_the_whole_page_to_the_log_in_page(db, address, headers):
    answer = Client().get(address, headers=headers)
    assert (answer.status_code, answer.content) == (401, b"")
    assert back_of(answer["HX-Redirect"]) == BACK


def test_a_form_comes_back_to_its_page_and_not_to_its_action(db):
    answer = Client().post("/runs/selected/", headers={"Referer": PAGE})
    assert answer.status_code == 302 and back_of(answer["Location"]) == BACK


@pytest.mark.parametrize("headers", [{"HX-Request": "true", "HX-Current-URL": PAGE}, {"Referer": PAGE}])
def test_a_form_without_cookies_redirects_to_the_log_in_page(db, headers):
    answer = Client(enforce_csrf_checks=True).post("/runs/selected/", headers=headers)
    assert back_of(answer.headers.get("HX-Redirect") or answer["Location"]) == BACK


def test_the_log_in_form_itself_says_that_its_token_is_gone(db):
    answer = Client(enforce_csrf_checks=True).post("/login/", {"username": "a", "password": "b"})
    assert answer.status_code == 403 and "This form has expired" in answer.text


@pytest.mark.parametrize("page", ["https://evil.example/runs/", "//evil.example/", "javascript:alert(1)", ""])
def test_an_ended_session_never_redirects_to_another_site(db, page):
    answer = Client().get("/runs/1/", headers={"HX-Request": "true", "HX-Current-URL": page})
    assert back_of(answer["HX-Redirect"]) == "/"


def test_a_log_in_returns_to_the_page_with_its_query(db):
    assert back_of(Client().get(BACK, headers={"Sec-Fetch-Dest": "document"})["Location"]) == BACK
