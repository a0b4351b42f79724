"""What people do in a browser to log in, and the links that they are sent."""

import re
import time

from allauth.mfa.app_settings import TOTP_PERIOD
from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value, yield_hotp_counters_from_time
from django.core import mail
from django.core.management import call_command
from django.test import Client

from accounts.outbox import notices_send
from tests.visitors import PASSWORD

NEW_PASSWORD = "a new and longer sentence"


def log_in(name="alice", password=PASSWORD, browser=None, **options):
    """The answer to the log-in form."""
    return (browser or Client()).post("/login/", {"username": name, "password": password}, **options)


def logged_in(name="alice", password=PASSWORD, *, agent="Mozilla/5.0 (X11; Linux) Firefox/140.0"):
    """A browser in which the person has just typed the password, also to confirm changes of the account."""
    browser = Client(headers={"user-agent": agent})
    assert log_in(name, password, browser).status_code == 302
    browser.post("/account/reauthenticate/", {"password": password})
    return browser


def code_of(secret):
    """The six digits that an app shows now, for three seconds more at least: they change every thirty."""
    left = TOTP_PERIOD - time.time() % TOTP_PERIOD
    time.sleep(left if left < 3 else 0)
    return format_hotp_value(hotp_value(secret, list(yield_hotp_counters_from_time())[0]))


def activate_two_factor(browser):
    page = browser.get("/account/2fa/totp/activate/").text
    secret = re.search(r'class="secret"[^>]*>([A-Z2-7]+)<', page)[1]
    assert browser.post("/account/2fa/totp/activate/", {"code": code_of(secret)}).status_code == 302
    return secret


def mailed_link(address=""):
    """The path of the link in the last mail, or in the last one to an address; None without one."""
    notices_send()
    bodies = [message.body for message in mail.outbox if address in ("", *message.to)]
    link = re.search(r"http://testserver(/\S+)", bodies[-1]) if bodies else None
    return link and link[1]


def printed_link(capsys, name):
    """The path of the link for a new password that the command prints."""
    call_command("reset_link", name, site="http://testserver")
    return capsys.readouterr().out.strip().removeprefix("http://testserver")


def choose_password(link):
    """Follow a link and type NEW_PASSWORD; the last page."""
    browser = Client()
    address = browser.get(link, follow=True).redirect_chain[-1][0]
    return browser.post(address, {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}, follow=True)
