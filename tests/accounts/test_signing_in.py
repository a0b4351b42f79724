"""Logging in: by name or e-mail, with a second factor, rate-limited, and logged without typed passwords."""

import logging
import re

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.core import mail
from django.core.cache import cache, caches
from django.test import Client

from accounts.models import AuditEntry, User
from accounts.outbox import notices_send
from tests.accounts.steps import (
    NEW_PASSWORD,
    activate_two_factor,
    choose_password,
    code_of,
    log_in,
    logged_in,
    mailed_link,
    printed_link,
)
from tests.visitors import PASSWORD, signed_in

CANARY = "canary-password-93417"


@pytest.mark.long
def test_a_user_name_or_an_e_mail_logs_in_and_a_right_password_is_not_counted(alice):
    for name in ("alice", "ALICE", "alice@example.org", "Alice@Example.org") * 4:
        assert log_in(name)["Location"] == "/"


def test_logging_in_changes_the_session_key(alice):
    browser = Client()
    browser.get("/account/password/reset/")
    session = browser.session
    session["planted"] = True
    session.save()
    planted = session.session_key
    browser.cookies["sessionid"] = planted
    log_in(browser=browser)
    assert browser.session.session_key != planted


@pytest.mark.parametrize(
    "target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", "/\\evil.example"]
)
def test_a_log_in_never_redirects_to_another_site(alice, target):
    typed = {"username": "alice", "password": PASSWORD, "next": target}
    assert Client().post("/login/?next=" + target, typed)["Location"] == "/"


def test_a_log_in_continues_to_the_requested_page(alice):
    wanted = Client().get("/agents/")
    assert wanted["Location"] == "/login/?next=/agents/"
    assert log_in(query_params={"next": "/agents/"})["Location"] == "/agents/"


@pytest.mark.parametrize("names", [("alice", "alice@example.org"), ("ALICE", "Alice@Example.org")])
def test_failures_by_name_and_by_e_mail_count_together(alice, names):
    for number in range(5):
        log_in(names[number % 2], "wrong")
    for name in names:
        answer = log_in(name)
        assert answer.status_code == 200, "the right password, refused"
        assert "do not match" in answer.text, "nothing tells that both are one account's"


@pytest.mark.long
def test_five_failures_stop_log_ins_for_known_and_unknown_names(alice):
    known, unknown = (re.sub('value="[^"]*"', "", log_in(name, "wrong").text) for name in ("alice", "nobody"))
    assert known == unknown
    cache.clear()
    for name in ("alice", "nobody"):
        for _ in range(5):
            assert "do not match" in log_in(name, "wrong").text
        stopped = log_in(name)
        assert stopped.status_code == 200 and "too many failed attempts" in stopped.text


@pytest.mark.long
def test_guessing_many_names_from_one_address_is_stopped(db):
    answers = [log_in(f"name{number}", "wrong").text for number in range(32)]
    assert "do not match" in answers[29]
    assert "too many failed attempts" in answers[30]


@pytest.mark.parametrize(("proxies", "counted"), [(0, "127.0.0.1"), (1, "198.51.100.4"), (2, "203.0.113.9")])
def test_the_counted_address_is_that_seen_by_the_last_trusted_proxy(alice, settings, proxies, counted):
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = proxies
    forged = {"X-Forwarded-For": "10.9.8.7, 203.0.113.9, 198.51.100.4"}
    assert log_in(headers=forged)["Location"] == "/"
    assert UserSession.objects.get().ip == counted


def test_owners_see_an_audit_entry_for_every_five_failures(alice, owner):
    for _ in range(6):
        assert not AuditEntry.objects.filter(action="sign-in.failed").exists()
        log_in(password="wrong")
    notices_send()
    entry = AuditEntry.objects.get(action="sign-in.failed")
    assert entry.organization == owner.organization
    assert "alice" in entry.subject and "5 in a row" in entry.subject


def test_failed_log_ins_are_logged_without_the_typed_text(alice, caplog):
    with caplog.at_level(logging.DEBUG):
        log_in(password=CANARY)
        log_in(name=CANARY, password=CANARY)
    assert "A log-in of alice failed" in caplog.text
    assert "no account of this name" in caplog.text
    assert CANARY not in caplog.text
    assert CANARY not in str(list(AuditEntry.objects.values()))


def test_people_log_in_and_attempts_stay_limited_while_the_broker_is_away(alice, broker_away):
    caches["default"].clear()
    assert log_in()["Location"] == "/"
    for _ in range(5):
        log_in(password="wrong")
    assert "too many failed attempts" in log_in().text


def test_open_sign_up_is_refused(db):
    fields = {"username": "eve", "email": "eve@example.org", "password1": PASSWORD}
    for method in ("get", "post"):
        response = getattr(Client(), method)("/account/signup/", fields)
        assert "need an invitation" in response.text
    assert not User.objects.filter(username="eve").exists()


def test_the_single_sign_on_button_appears_only_if_a_provider_is_configured(client, request):
    assert "Log in with" not in client.get("/login/").text
    request.getfixturevalue("provider")
    assert "Log in with Campus" in client.get("/login/").text


def test_a_password_is_reset_by_a_link_that_works_once(alice, mail_works):
    old_session = signed_in(alice)
    Client().post("/account/password/reset/", {"email": "alice@example.org"})
    link = mailed_link()
    assert "Your password was changed" in choose_password(link).text
    assert log_in(password=NEW_PASSWORD)["Location"] == "/"
    assert old_session.get("/account/").status_code == 302
    assert "no longer works" in Client().get(link, follow=True).text


def test_a_reset_request_does_not_reveal_whether_an_account_exists(alice, mail_works):
    answers = [
        Client().post("/account/password/reset/", {"email": address}, follow=True)
        for address in ("alice@example.org", "nobody@example.org")
    ]
    assert answers[0].redirect_chain == answers[1].redirect_chain
    notices_send()
    assert [message.to for message in mail.outbox] == [["alice@example.org"]]


def test_the_password_page_names_the_working_command_if_the_site_sends_no_mail(alice, capsys):
    text = Client().get("/account/password/reset/").text
    assert "bin/econevals reset_link" in text and '<input type="email"' not in text
    for address in ("alice@example.org", "nobody@example.org"):
        answer = Client().post("/account/password/reset/", {"email": address}).text
        assert answer == text, "it tells whether there is an account"
    assert mail.outbox == [], "a link went into a file"
    assert "Choose a new password" in Client().get(printed_link(capsys, "alice"), follow=True).text


def test_a_closed_account_does_not_log_in(alice):
    User.objects.filter(pk=alice.pk).update(is_active=False)
    assert log_in()["Location"] == "/account/inactive/"


@pytest.fixture
def browser(alice):
    return logged_in()


@pytest.fixture
def secret(browser):
    """The key of the app, after two-factor log-in was turned on."""
    return activate_two_factor(browser)


def half_way():
    browser = Client()
    assert log_in(browser=browser)["Location"] == "/account/2fa/authenticate/"
    return browser


@pytest.mark.long
def test_password_and_code_log_in(secret):
    cache.clear()
    browser = half_way()
    assert browser.get("/agents/")["Location"].startswith("/login/"), "a password alone logs nobody in"
    assert browser.post("/account/2fa/authenticate/", {"code": code_of(secret)})["Location"] == "/"
    assert browser.get("/agents/").status_code == 200


@pytest.mark.long
def test_a_wrong_code_is_refused_and_guessing_is_stopped(secret):
    browser = half_way()
    answers = [browser.post("/account/2fa/authenticate/", {"code": "000000"}).text for _ in range(8)]
    assert "does not match" in answers[0]
    assert "too many" in answers[-1].lower()


@pytest.mark.long
def test_a_recovery_code_logs_in_once(secret, browser):
    page = browser.get("/account/2fa/recovery-codes/").text
    code = re.search(r'class="codes">(\d+)', page)[1]
    assert half_way().post("/account/2fa/authenticate/", {"code": code})["Location"] == "/"
    assert half_way().post("/account/2fa/authenticate/", {"code": code}).status_code == 200


def test_two_factor_secrets_are_encrypted_and_deleted_on_deactivation(secret, browser):
    assert secret not in str(list(Authenticator.objects.values_list("data", flat=True)))
    assert Authenticator.objects.count() == 2
    browser.post("/account/2fa/totp/deactivate/")
    assert not Authenticator.objects.exists()


def test_two_factor_changes_require_the_password(alice):
    browser = Client()
    log_in(browser=browser)
    for address in ("/account/2fa/totp/activate/", "/account/2fa/recovery-codes/generate/"):
        assert browser.get(address)["Location"].startswith("/account/reauthenticate/")
    wrong = browser.post("/account/reauthenticate/", {"password": "wrong"})
    assert "This is not your password" in wrong.text
    assert browser.get("/account/2fa/totp/activate/").status_code == 302
