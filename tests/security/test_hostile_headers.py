"""Headers and parameters with invalid addresses get a regular answer and never a server error."""

import pytest
from django.test import Client

from tests.visitors import signed_in

NO_ADDRESSES = ("http://[x", "http://[::1", "//[", "http://a]b/", "\x01:", "http://x:port/", "%5B%00")


@pytest.mark.sampled
@pytest.mark.parametrize("text", NO_ADDRESSES)
def test_a_period_opens_with_every_current_url_header(launch, alice, text):
    run = launch("random").runs.get()
    for encoded in ({}, {"HX-Current-URL-URI-AutoEncoded": "true"}):
        headers = {"HX-Request": "true", "HX-Current-URL": text} | encoded
        response = signed_in(alice).get(f"/runs/{run.pk}/periods/0/", headers=headers)
        assert response.status_code == 200 and response["HX-Push-Url"] == f"/runs/{run.pk}/periods/0/"


@pytest.mark.sampled
@pytest.mark.parametrize("text", NO_ADDRESSES)
@pytest.mark.parametrize("page", ["/login/", "/account/password/reset/", "/account/signup/", "/logout/", "/s/none/"])
def test_public_pages_answer_every_header_with_a_hostile_address(db, page, text):
    headers = {"Referer": text, "Origin": text, "HX-Current-URL": text, "HX-Request": "true", "X-Forwarded-Host": text}
    for client in (Client(), Client(enforce_csrf_checks=True)):
        for method in (client.get, client.post):
            assert method(page, query_params={"next": text}, headers=headers).status_code < 500


@pytest.mark.parametrize("text", NO_ADDRESSES[:-1])
def test_a_log_in_with_an_invalid_next_address_leads_home(alice, text):
    fields = {"username": "alice", "password": "correct horse battery", "next": text}
    assert Client().post("/login/", fields)["Location"] == "/"


def test_a_failing_page_is_logged_without_secret_addresses(db, caplog, monkeypatch):
    from accounts.views import invitations

    def broken(*arguments, **options):
        raise RuntimeError("A fault.")

    monkeypatch.setattr(invitations, "invitation_of", broken)
    answer = Client(raise_request_exception=False).get("/invitations/an-invitation-of-somebody/")
    assert answer.status_code == 500
    assert "Internal Server Error: /invitations/<" in caplog.text and "an-invitation-of-somebody" not in caplog.text
