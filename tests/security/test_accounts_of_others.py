"""Getting into the accounts of others, guessing passwords and finding out who has an account, on a running site."""

import re
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import pytest
import requests
from django.contrib.auth.hashers import MD5PasswordHasher
from django.test import Client

from tests.accounts.identity_provider import IdentityProvider
from tests.running_site import Browser, RunningSite, running_site
from tests.security.slow_mail_server import SlowMailServer
from tests.visitors import PASSWORD

SLOW = 8.0
"""Seconds that the mail server takes for a message, and within which every page answers."""

VICTIM = {"sub": "17", "preferred_username": "vic", "email": "victim@example.org", "email_verified": True}
SHOWN_LINK = """
from accounts.models import Membership
from accounts.services import invitation_create
owner = Membership.objects.get(role="owner")
print(invitation_create(actor=owner, email="victim@example.org", role="editor")[1])
"""


@dataclass(frozen=True)
class Town:
    """The site, the mail server and the identity provider, which vouches for the victim."""

    site: RunningSite
    mail: SlowMailServer

    def owner(self) -> Browser:
        browser = Browser(self.site.address)
        assert browser.log_in("owner", self.site.password)
        return browser

    def shown_link(self) -> str:
        """As sites without mail show them, and as this one did before it could send any."""
        return f"/invitations/{self.site.run(SHOWN_LINK)}/"


@pytest.fixture(scope="module")
def town(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Town]:
    with ExitStack() as open_now:
        mail = open_now.enter_context(SlowMailServer(SLOW))
        provider = open_now.enter_context(IdentityProvider())
        provider.claims = VICTIM
        names = {"ISSUER": provider.address, "CLIENT_ID": "us", "SECRET": "secret"}
        variables = {f"ECONEVALS_OIDC_{name}": value for name, value in names.items()}
        folder = tmp_path_factory.mktemp("town") / "site"
        yield Town(open_now.enter_context(running_site(folder, EMAIL_URL=mail.url, **variables)), mail)


@pytest.mark.long
def test_whoever_prepared_an_account_is_out_of_it_when_the_victim_signs_on(town: Town) -> None:
    address, secret = town.site.address, "a sentence easy to keep"
    kept, victim = Browser(address), Browser(address)
    kept.fill(town.shown_link(), username="prepared", full_name="", password=secret)
    assert kept.is_in()
    made = kept.fill("/account/tokens/", name="kept", scopes="read", expires="90")
    token = re.search(r'id="token-text">(ee_[0-9a-f]{40})<', made.text)
    assert token
    bearer = {"Authorization": f"Bearer {token[1]}"}
    assert requests.get(f"{address}/api/v1/me", headers=bearer, timeout=60).status_code == 200

    arrived = victim.sign_on().text
    assert victim.is_in() and "User name prepared" in victim.open("/account/").text
    assert "somebody else may have set this account up" in arrived and "a member of My organization" in arrived
    assert not kept.is_in()
    assert not Browser(address).log_in("prepared", secret)
    assert requests.get(f"{address}/api/v1/me", headers=bearer, timeout=60).status_code == 401
    log = town.owner().open("/organization/audit/").text
    assert "ended: the password, every other browser, 1 API token" in log


@pytest.mark.long
def test_the_time_of_an_answer_does_not_tell_that_an_account_was_written_to(town: Town) -> None:
    joining = Browser(town.site.address)
    town.owner().fill("/organization/invitations/", "/organization/", email="known@example.org", role="viewer")
    link = re.search(r"http://[^/]+(/invitations/\S+)", town.mail.message_to("known@example.org"))
    assert link
    joining.fill(link[1], username="known", full_name="", password="a sentence easy to keep")
    assert joining.is_in()
    seconds, before = {}, len(town.mail.messages)
    for email in ("nobody@example.org", "known@example.org"):
        browser, began = Browser(town.site.address), time.monotonic()
        done = browser.fill("/account/password/reset/", email=email)
        seconds[email] = time.monotonic() - began
        assert "If an account uses this address" in done.text
    assert max(seconds.values()) < SLOW, seconds
    assert "password/reset/key" in town.mail.message_to("known@example.org", after=before)
    assert not [text for text in town.mail.messages if "To: nobody@example.org" in text]


@pytest.mark.long
def test_whoever_invites_does_not_see_the_link_that_proves_an_address(town: Town) -> None:
    inviter = town.owner()
    made = inviter.fill("/organization/invitations/", "/organization/", email="new@example.org", role="viewer")
    token = re.search(r"/invitations/([^/\s]+)/", town.mail.message_to("new@example.org"))
    assert token and token[1] not in made.text + inviter.open("/organization/").text
    assert 'id="invitation-link"' not in made.text


@pytest.mark.long
def test_a_forged_address_does_not_step_round_limits(town: Town) -> None:
    codes = []
    for number in range(32):
        headers = {"X-Forwarded-For": f"203.0.113.{number}", "Authorization": "Bearer ee_" + "0" * 40}
        codes.append(requests.get(f"{town.site.address}/api/v1/me", headers=headers, timeout=60).status_code)
    assert codes[0] == 401 and codes[-1] == 429


@pytest.mark.long
def test_a_forged_address_is_not_noted_as_that_of_a_browser(town: Town) -> None:
    browser = Browser(town.site.address)
    browser.headers["X-Forwarded-For"] = "203.0.113.7"
    assert browser.log_in("owner", town.site.password)
    text = browser.open("/account/").text
    assert "127.0.0.1" in text and "203.0.113.7" not in text


class CountedHasher(MD5PasswordHasher):
    """As the quick one of the tests; `hashed` counts."""

    hashed = 0

    def encode(self, *arguments: Any) -> str:
        type(self).hashed += 1
        return super().encode(*arguments)


@pytest.mark.django_db
def test_a_log_in_hashes_one_password_whoever_is_meant(alice: Any, settings: Any) -> None:
    from accounts.models import User

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


@pytest.mark.django_db
def test_asking_for_a_new_password_is_the_same_work_for_every_address(alice: Any, settings: Any) -> None:
    """The same queries, and nothing sent: a worker finds out whose address it is."""
    from django.core import mail
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    settings.MAIL_WORKS = True
    asked = []
    for email in ("alice@example.org", "nobody@example.org"):
        with CaptureQueriesContext(connection) as queries:
            Client().post("/account/password/reset/", {"email": email})
        asked.append([re.sub(r"'[^']*'", "?", query["sql"]) for query in queries])
    assert asked[0] == asked[1] and not mail.outbox


@pytest.mark.django_db
def test_failing_to_log_in_is_the_same_work_for_every_name(alice: Any) -> None:
    """Also the fifth time, when owners are told."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    asked = {}
    for name in ("alice", "nobody"):
        for _ in range(5):
            with CaptureQueriesContext(connection) as queries:
                Client().post("/login/", {"username": name, "password": "wrong"})
            shapes = [re.sub(r"'[^']*'", "?", query["sql"]) for query in queries]
            asked.setdefault(name, []).append(shapes)
    assert asked["alice"] == asked["nobody"]
