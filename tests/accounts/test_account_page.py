"""The account page: name, e-mail, password, browser sessions and signing out everywhere."""

import pytest
from django.contrib.auth.models import AbstractUser
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.models import User
from accounts.sign_in.browsers import browser_of
from tests.accounts.steps import NEW_PASSWORD, logged_in, mailed_link
from tests.layout import check_markup
from tests.visitors import PASSWORD


@pytest.mark.long
def test_a_person_changes_their_name(page, alice):
    page.post("/account/", {"full_name": " Alice   van der Berg "})
    alice.refresh_from_db()
    assert (alice.first_name, alice.last_name) == ("Alice", "van der Berg")
    assert "Alice van der Berg" in page.get("/organization/").text


def test_the_page_lists_browsers_and_the_last_log_in(alice):
    logged_in(agent="Mozilla/5.0 (iPhone) Version/18.0 Safari/605.1")
    text = logged_in().get("/account/").text
    assert "Safari on iPhone" in text and "Firefox on Linux" in text
    assert text.count("this one") == 1
    assert "Last log-in" in text


def test_signing_out_everywhere_ends_every_other_session_at_once(alice):
    here, there = logged_in(), logged_in()
    unlisted = Client()
    unlisted.force_login(alice)
    key = here.session.session_key
    assert "Every other browser was signed out" in here.post("/account/sessions/end/", follow=True).text
    assert here.get("/agents/").status_code == 200
    assert here.session.session_key != key
    for other in (there, unlisted):
        assert other.get("/agents/").status_code == 302


def test_sessions_from_before_the_upgrade_stay_good(alice):
    assert alice.get_session_auth_hash() == AbstractUser.get_session_auth_hash(alice)
    assert alice.get_session_auth_hash() == AbstractUser._get_session_auth_hash(alice)


def test_changing_the_password_ends_other_sessions_and_explains_errors(alice):
    here, there = logged_in(), logged_in()
    new = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    for fields, sentence in (
        ({"oldpassword": "wrong"}, "not your present password"),
        ({"password1": "short", "password2": "short"}, "too short"),
        ({"password2": "something else entirely"}, "same password"),
    ):
        assert sentence in here.post("/account/password/change/", new | fields).text
    here.post("/account/password/change/", new)
    assert here.get("/agents/").status_code == 200
    assert there.get("/agents/").status_code == 302
    assert logged_in(password=NEW_PASSWORD)


def test_a_new_address_counts_once_the_link_was_followed(alice, mail_works):
    client = logged_in()
    client.post("/account/email/", {"email": "new@example.org", "action_add": ""})
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"
    assert "Until then, the old address stays." in client.get("/account/email/").text
    link = mailed_link("new@example.org")
    assert "becomes the address of alice" in client.get(link).text
    client.post(link)
    alice.refresh_from_db()
    assert alice.email == "new@example.org"


def test_an_account_cannot_take_the_address_of_another(alice, other, mail_works):
    client = logged_in()
    client.post("/account/email/", {"email": "mallory@example.org", "action_add": ""})
    if link := mailed_link():
        client.post(link)
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"


def test_the_e_mail_page_names_the_command_if_the_site_sends_no_mail(alice, other):
    assert "bin/econevals set_email alice" in logged_in().get("/account/email/").text
    call_command("set_email", "alice", "New@Example.org")
    assert User.objects.get(pk=alice.pk).email == "new@example.org"
    with pytest.raises(CommandError):
        call_command("set_email", "alice", "mallory@example.org")


def test_a_browser_has_a_name():
    for agent, words in (
        ("Mozilla/5.0 (Windows NT 10.0) Chrome/140 Safari/537 Edg/140", "Edge on Windows"),
        ("Mozilla/5.0 (Macintosh; Intel Mac OS X 15) Version/18 Safari/605", "Safari on macOS"),
        ("curl/8.1", "curl/8.1"),
        ("", "Unknown browser"),
    ):
        assert browser_of(agent) == words


def test_no_page_has_inline_script_style_or_handlers(alice):
    client = logged_in()
    addresses = [f"/account/{name}" for name in ("", "email/", "password/change/", "2fa/", "2fa/totp/activate/")]
    addresses += [f"/organization/{name}" for name in ("", "settings/", "audit/", "new/")]
    for address in (*addresses, "/logout/"):
        response = client.get(address)
        assert response.status_code == 200, address
        check_markup(response.text)
