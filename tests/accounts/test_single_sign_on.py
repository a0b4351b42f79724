"""Single sign-on: only for people with an account or an open invitation to the address that the provider verified."""

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Invitation, User
from accounts.services.people import address_prove

NORA = {"sub": "17", "preferred_username": "nora", "name": "Nora Ny"}
NORA |= {"email": "Nora@Example.org", "email_verified": True}


@pytest.mark.long
def test_an_invited_person_gets_an_account_and_is_signed_in(provider, invite):
    invite("nora@example.org", "viewer")
    provider.claims = NORA
    browser = Client()
    assert provider.walk(browser).redirect_chain[-1][0] == "/"
    user = User.objects.get(email="nora@example.org")
    assert (user.username, user.get_full_name(), user.has_usable_password()) == ("nora", "Nora Ny", False)
    assert user.memberships.get().role == "viewer"
    assert Invitation.objects.get().accepted_at is not None
    again = Client()
    provider.walk(again)
    assert again.get("/agents/").status_code == 200


@pytest.mark.long
def test_a_person_without_a_verified_invited_address_gets_no_account(provider, invite, alice):
    invite("nora@example.org")
    unverified = {"email_verified": False}
    for claims in (
        NORA | {"email": "uninvited@example.org"},
        NORA | unverified,
        NORA | unverified | {"email": "alice@example.org"},
        {"sub": "18", "name": "Nobody"},
    ):
        provider.claims = claims
        browser = Client()
        assert "need an invitation" in provider.walk(browser).text, claims
        assert browser.get("/agents/").status_code == 302
    provider.claims = NORA
    for dead in ({"revoked_at": timezone.now()}, {"revoked_at": None, "expires_at": timezone.now()}):
        Invitation.objects.update(**dead)
        assert "need an invitation" in provider.walk(Client()).text
    assert not User.objects.exclude(username="alice").exists()


def test_single_sign_on_logs_a_person_in_to_their_existing_account(provider, alice):
    address_prove(user=alice)
    provider.claims = NORA | {"email": "alice@example.org"}
    browser = Client()
    provider.walk(browser)
    assert browser.get("/account/").context["user"] == alice
    alice.refresh_from_db()
    assert alice.has_usable_password()


def test_an_unreachable_provider_is_reported_with_a_sentence(provider, db):
    provider.__exit__()
    response = Client().post("/account/oidc/sso/login/?process=login")
    assert response.status_code == 503
    assert "did not work" in response.text


def test_an_unsolicited_provider_answer_is_refused(provider, invite):
    invite("nora@example.org")
    provider.claims = NORA
    response = Client().get("/account/oidc/sso/login/callback/", {"code": "code", "state": "made-up"})
    assert "did not work" in response.text
    assert not User.objects.filter(email="nora@example.org").exists()


def test_log_in_forms_may_redirect_to_the_provider(provider, db):
    """A browser blocks the redirect of a form to an address that the policy of its page does not allow."""
    for address in ("/login/", "/account/oidc/sso/login/?process=login"):
        policy = Client().get(address)["Content-Security-Policy"]
        assert f"form-action 'self' https: {provider.address}" in policy


def test_log_in_forms_stay_on_the_site_without_a_provider(db):
    assert "form-action 'self';" in Client().get("/login/")["Content-Security-Policy"] + ";"
