"""Attacks on accounts: taking them over, guessing passwords and finding out who has one, on a running site."""

import re

import pytest
import requests
from django.contrib.auth.hashers import MD5PasswordHasher
from django.core import mail as messages
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from accounts.models import User
from tests.accounts.identity_provider import IdentityProvider
from tests.running_site import Browser, running_site
from tests.security.slow_mail_server import SlowMailServer
from tests.visitors import PASSWORD
from tests.waiting import patience

SLOW = 8.0
"""Seconds that the mail server takes for a message. No page waits for it."""

VICTIM = {"sub": "17", "preferred_username": "vic", "email": "victim@example.org", "email_verified": True}
SHOWN_LINK = """
from accounts.models import Membership
from accounts.services import invitation_create
owner = Membership.objects.get(role="owner")
print(invitation_create(actor=owner, email="victim@example.org", role="editor")[1])
"""


@pytest.fixture(scope="module")
def mail():
    with SlowMailServer(SLOW) as mail:
        yield mail


@pytest.fixture(scope="module")
def site(mail, tmp_path_factory):
    """Its identity provider vouches for the victim."""
    with IdentityProvider() as provider:
        provider.claims = VICTIM
        names = {"ISSUER": provider.address, "CLIENT_ID": "us", "SECRET": "secret"}
        variables = {f"ECONEVALS_OIDC_{name}": value for name, value in names.items()}
        with running_site(tmp_path_factory.mktemp("site"), EMAIL_URL=mail.url, **variables) as site:
            yield site


def code_of_me(address, token, **headers):
    headers |= {"Authorization": f"Bearer {token}"}
    return requests.get(f"{address}/api/v1/me", headers=headers, timeout=patience()).status_code


@pytest.mark.long
def test_an_attacker_loses_a_prepared_account_when_the_victim_signs_on(site):
    address, secret = site.address, "a sentence easy to keep"
    kept, victim = Browser(address), Browser(address)
    # A link that the site shows, as sites without mail do.
    kept.fill(f"/invitations/{site.run(SHOWN_LINK)}/", username="prepared", full_name="", password=secret)
    assert kept.is_in()
    made = kept.fill("/account/tokens/", name="kept", scopes="read", expires="90")
    (token,) = re.findall(r'id="token-text">(ee_[0-9a-f]{40})<', made.text)
    assert code_of_me(address, token) == 200

    arrived = victim.sign_on().text
    assert victim.is_in() and "User name prepared" in victim.open("/account/").text
    assert "somebody else may have set this account up" in arrived and "a member of My organization" in arrived
    assert not kept.is_in()
    assert not Browser(address).log_in("prepared", secret)
    assert code_of_me(address, token) == 401
    log = site.browser().open("/organization/audit/").text
    assert "ended: the password, every other browser, 1 API token" in log


@pytest.mark.long
def test_the_response_time_does_not_reveal_whether_a_message_was_sent(site, mail):
    joining = Browser(site.address)
    site.browser().fill("/organization/invitations/", "/organization/", email="known@example.org", role="viewer")
    (link,) = re.findall(r"http://[^/]+(/invitations/\S+)", mail.message_to("known@example.org"))
    joining.fill(link, username="known", full_name="", password="a sentence easy to keep")
    assert joining.is_in()
    before = len(mail.messages)
    for email in ("nobody@example.org", "known@example.org"):
        done = Browser(site.address).fill("/account/password/reset/", email=email)
        assert "If an account uses this address" in done.text
        assert len(mail.messages) == before, "the page waited for the mail server"
    assert "password/reset/key" in mail.message_to("known@example.org", after=before)
    assert not [text for text in mail.messages if "To: nobody@example.org" in text]


@pytest.mark.long
def test_an_inviter_does_not_see_the_link_that_proves_an_address(site, mail):
    inviter = site.browser()
    made = inviter.fill("/organization/invitations/", "/organization/", email="new@example.org", role="viewer")
    (token,) = re.findall(r"/invitations/([^/\s]+)/", mail.message_to("new@example.org"))
    assert token not in made.text + inviter.open("/organization/").text
    assert 'id="invitation-link"' not in made.text


@pytest.mark.long
def test_a_forged_address_does_not_evade_limits(site):
    forged = ({"X-Forwarded-For": f"203.0.113.{number}"} for number in range(32))
    codes = [code_of_me(site.address, "ee_" + "0" * 40, **header) for header in forged]
    assert codes[0] == 401 and codes[-1] == 429


@pytest.mark.long
def test_a_forged_address_is_not_recorded_for_a_session(site):
    browser = Browser(site.address)
    browser.headers["X-Forwarded-For"] = "203.0.113.7"
    assert browser.log_in("owner", site.password)
    text = browser.open("/account/").text
    assert "127.0.0.1" in text and "203.0.113.7" not in text


class CountedHasher(MD5PasswordHasher):
    """As the quick one of the tests; `hashed` counts."""

    hashed = 0

    def encode(self, *arguments):
        type(self).hashed += 1
        return super().encode(*arguments)


@pytest.mark.long
def test_a_log_in_hashes_exactly_once_for_every_name(alice, settings):
    settings.PASSWORD_HASHERS = [f"{__name__}.CountedHasher"]
    User.objects.create_user("named@example.org", "named@example.org", PASSWORD)
    User.objects.create_user("closed", "closed@example.org", PASSWORD, is_active=False)
    User.objects.create_user("keyless", "keyless@example.org").emailaddress_set.create(email="wanted@example.org")
    names = ("alice", "alice@example.org", "nobody", "nobody@example.org", "named@example.org")
    counts = {}
    for name in (*names, "closed", "closed@example.org", "keyless", "keyless@example.org", "wanted@example.org"):
        CountedHasher.hashed = 0
        Client().post("/login/", {"username": name, "password": "wrong"})
        counts[name] = CountedHasher.hashed
    assert set(counts.values()) == {1}, counts


def queries_of(address, **fields):
    """The shapes of the queries that a visitor's form causes."""
    with CaptureQueriesContext(connection) as queries:
        Client().post(address, fields)
    return [re.sub(r"'[^']*'", "?", query["sql"]) for query in queries]


def test_a_password_request_does_the_same_work_for_every_address(alice, settings):
    """The same queries and no mail: a worker looks the address up."""
    settings.MAIL_WORKS = True
    known, unknown = (
        queries_of("/account/password/reset/", email=f"{name}@example.org") for name in ("alice", "nobody")
    )
    assert known == unknown and not messages.outbox


@pytest.mark.long
def test_a_failed_log_in_does_the_same_work_for_every_name(alice):
    """Also the fifth time, when owners are notified."""
    known, unknown = (
        [queries_of("/login/", username=name, password="wrong") for _ in range(5)] for name in ("alice", "nobody")
    )
    assert known == unknown
