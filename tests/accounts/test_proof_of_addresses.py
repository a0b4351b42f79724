"""Proof of e-mail addresses: what proves one, and what a proof ends in an account that an attacker prepared."""

from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core.cache import cache
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, User
from accounts.services.people import address_is_proved, address_prove, person_keep_address
from api.services import personal_token_create
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

VICTIM = {"sub": "17", "preferred_username": "vic", "email": "victim@example.org", "email_verified": True}


@pytest.fixture
def provider(provider):
    provider.claims = VICTIM
    return provider


@pytest.fixture
def prepared(join):
    """An attacker's account for the victim's address, with every way of signing in."""
    membership = join("victim", "editor")
    user = membership.user
    person_keep_address(user=user)
    browser = logged_in("victim")
    SocialAccount.objects.create(user=user, provider="sso", uid="of-the-attacker")
    EmailAddress.objects.create(user=user, email="attacker@example.org")
    options = {"name": "kept", "scopes": ["read"], "expires_at": timezone.now() + timedelta(days=1)}
    browser.token = personal_token_create(actor=membership, **options)[1]
    return browser


def reads_with(token):
    return Client().get("/api/v1/me", headers={"authorization": f"Bearer {token}"}).status_code


@pytest.mark.long
def test_the_first_single_sign_on_ends_every_other_way_into_an_unproved_account(provider, prepared):
    activate_two_factor(prepared)
    assert reads_with(prepared.token) == 200
    browser = Client()
    text = provider.walk(browser).text
    user = User.objects.get(username="victim")
    assert browser.get("/account/").context["user"] == user
    assert "somebody else may have set this account up" in text and "is a member of Market Lab" in text
    assert prepared.get("/account/").status_code == 302
    assert log_in("victim").status_code == 200
    assert reads_with(prepared.token) == 401
    assert not Authenticator.objects.filter(user=user).exists()
    assert [account.uid for account in SocialAccount.objects.filter(user=user)] == ["17"]
    assert list(EmailAddress.objects.values_list("email", "verified")) == [("victim@example.org", True)]
    entry = AuditEntry.objects.get(action="address.proved")
    for ended in ("the password", "every other browser", "1 API token", "two-factor log-in", "other single sign-ons"):
        assert ended in entry.subject


@pytest.mark.long
def test_a_later_single_sign_on_ends_no_session_and_keeps_the_password(provider, prepared):
    provider.walk(Client())
    user = User.objects.get(username="victim")
    user.set_password(PASSWORD)
    user.save()
    there = signed_in(user)
    provider.walk(Client())
    user.refresh_from_db()
    assert user.has_usable_password() and there.get("/account/").status_code == 200


@pytest.mark.long
def test_an_old_identity_must_prove_its_address_and_ends_printed_links(provider, prepared, capsys):
    """As upgraded sites have them: connected while the address counted as verified without a proof."""
    SocialAccount.objects.create(user=User.objects.get(username="victim"), provider="sso", uid="17")
    link = printed_link(capsys, "victim")
    provider.walk(Client())
    assert prepared.get("/account/").status_code == 302
    assert "no longer works" in Client().get(link, follow=True).text


@pytest.mark.long
def test_single_sign_on_ignores_unconfirmed_addresses_of_other_accounts(provider, alice, mail_works, invite):
    logged_in().post("/account/email/", {"email": "victim@example.org", "action_add": ""})
    invite("victim@example.org")
    browser = Client()
    provider.walk(browser)
    user = browser.get("/account/").context["user"]
    assert (user.username, user.email) == ("vic", "victim@example.org")


def test_a_new_address_cannot_become_current_without_its_link(alice, mail_works):
    browser = logged_in()
    browser.post("/account/email/", {"email": "victim@example.org", "action_add": ""})
    browser.post("/account/email/", {"email": "victim@example.org", "action_primary": ""})
    browser.post("/account/email/", {"email": "alice@example.org", "action_remove": ""})
    alice.refresh_from_db()
    assert alice.email == "alice@example.org"


@pytest.mark.parametrize("who", ["nobody", "somebody else"])
def test_a_confirmation_link_works_only_in_a_browser_of_the_account(prepared, mail_works, other, who):
    """People easily click a message that another person requested."""
    prepared.post("/account/email/", {"email": "victim@example.org", "action_send": ""})
    link = mailed_link("victim@example.org")
    clicking = Client() if who == "nobody" else signed_in(other.user)
    assert clicking.get(link).status_code == clicking.post(link).status_code == (302 if who == "nobody" else 403)
    user = User.objects.get(username="victim")
    assert not address_is_proved(user)
    prepared.post(link)
    assert address_is_proved(user)


@pytest.mark.long
def test_a_mailed_password_link_proves_the_address_and_ends_other_ways_in(prepared, mail_works):
    activate_two_factor(prepared)
    Client().post("/account/password/reset/", {"email": "victim@example.org"})
    assert "1 API token" in choose_password(mailed_link()).text
    assert reads_with(prepared.token) == 401
    assert prepared.get("/account/").status_code == 302
    user = User.objects.get(username="victim")
    assert address_is_proved(user) and user.check_password(NEW_PASSWORD)
    assert not SocialAccount.objects.exists()
    assert Authenticator.objects.filter(user=user).exists(), "a mailbox alone takes no second factor away"


def test_a_printed_password_link_signs_out_other_accounts_and_proves_no_address(page, prepared, capsys):
    link = printed_link(capsys, "victim")
    assert "Choose a new password" in page.get(link, follow=True).text
    assert page.get("/experiments/").status_code == 302
    choose_password(link)
    user = User.objects.get(username="victim")
    assert user.check_password(NEW_PASSWORD) and not address_is_proved(user)


def test_an_address_that_was_set_by_command_is_not_proved(alice):
    address_prove(user=alice)
    call_command("set_email", "alice", "new@example.org")
    alice.refresh_from_db()
    assert not address_is_proved(alice)


def test_a_pending_two_factor_log_in_ends_when_the_password_changes(alice):
    secret = activate_two_factor(logged_in())

    cache.clear()
    half_way = Client()
    log_in(browser=half_way)
    alice.set_password(NEW_PASSWORD)
    alice.save()
    assert half_way.post("/account/2fa/authenticate/", {"code": code_of(secret)})["Location"] == "/login/"
    assert half_way.get("/agents/").status_code == 302


def test_the_current_address_of_each_person_is_kept_once(alice, join):
    people = (alice, join("bob", "viewer").user)
    for person in (*people, *people):
        person_keep_address(user=person)
    kept = EmailAddress.objects.order_by("id").values_list("user", "email", "primary", "verified")
    assert list(kept) == [(person.pk, person.email, True, False) for person in people]
