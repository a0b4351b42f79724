"""Two-factor log-in: turned on with a code, asked for at the next log-in, secrets encrypted at rest."""

from __future__ import annotations

import re

import pytest
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.test import Client

from tests.visitors import PASSWORD

pytestmark = pytest.mark.django_db


def code_of(secret: str) -> str:
    return format_hotp_value(hotp_value(secret, list(yield_hotp_counters_from_time())[0]))


@pytest.fixture
def browser(alice):
    browser = Client()
    browser.post("/login/", {"username": "alice", "password": PASSWORD})
    browser.post("/account/reauthenticate/", {"password": PASSWORD})
    return browser


@pytest.fixture
def secret(browser):
    """The key of the app, after two-factor log-in was turned on."""
    page = browser.get("/account/2fa/totp/activate/").content.decode()
    secret = re.search(r'class="secret"[^>]*>([A-Z2-7]+)<', page)[1]
    browser.post("/account/2fa/totp/activate/", {"code": code_of(secret)})
    return secret


def half_way():
    browser = Client()
    assert (
        browser.post("/login/", {"username": "alice", "password": PASSWORD})["Location"] == "/account/2fa/authenticate/"
    )
    return browser


def test_a_password_alone_logs_nobody_in_any_more(secret):
    assert half_way().get("/agents/")["Location"].startswith("/login/")


def test_password_and_code_log_in(secret):
    from django.core.cache import cache

    cache.clear()
    browser = half_way()
    assert browser.post("/account/2fa/authenticate/", {"code": code_of(secret)})["Location"] == "/"
    assert browser.get("/agents/").status_code == 200


def test_a_wrong_code_is_refused_and_guessing_is_stopped(secret):
    browser = half_way()
    answers = [browser.post("/account/2fa/authenticate/", {"code": "000000"}).content.decode() for _ in range(8)]
    assert "does not match" in answers[0]
    assert "too many" in answers[-1].lower()


def test_a_recovery_code_logs_in_once(secret, browser):
    page = browser.get("/account/2fa/recovery-codes/").content.decode()
    code = re.search(r'class="codes">(\d+)', page)[1]
    assert half_way().post("/account/2fa/authenticate/", {"code": code})["Location"] == "/"
    assert half_way().post("/account/2fa/authenticate/", {"code": code}).status_code == 200


def test_secrets_are_encrypted_at_rest(secret):
    stored = str(list(Authenticator.objects.values_list("data", flat=True)))
    assert secret not in stored
    assert Authenticator.objects.count() == 2


def test_turning_it_off_deletes_the_secrets(secret, browser):
    browser.post("/account/2fa/totp/deactivate/")
    assert not Authenticator.objects.exists()


def test_changes_ask_for_the_password_again(alice):
    browser = Client()
    browser.post("/login/", {"username": "alice", "password": PASSWORD})
    for address in ("/account/2fa/totp/activate/", "/account/2fa/recovery-codes/generate/"):
        assert browser.get(address)["Location"].startswith("/account/reauthenticate/")
    wrong = browser.post("/account/reauthenticate/", {"password": "wrong"})
    assert "This is not your password" in wrong.content.decode()
    assert browser.get("/account/2fa/totp/activate/").status_code == 302
