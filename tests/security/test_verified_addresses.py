"""Unverified or lookalike e-mail addresses give no access to accounts or invitations of others."""

import pytest
from allauth.account.models import EmailAddress
from allauth.socialaccount.models import SocialAccount
from django.core import mail
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client

from accounts.forms import EmailForm
from accounts.models import Invitation, Membership, User
from accounts.outbox import notices_send
from accounts.selectors import person_called, person_of_address
from accounts.services import invitation_create
from accounts.services.invitations import invitation_accept_new
from accounts.services.people import address_prove
from tests.accounts.identity_provider import IdentityProvider
from tests.visitors import PASSWORD, signed_in

KELVIN = "\u212a"
"""Its lower case is k."""

RELATIVES = (KELVIN + "im", "k\u0131m", "\u212a\u0131m", "kim\u017f")
"""Of kim: letters that Python, SQLite or PostgreSQL turn into ASCII ones when they change the case."""

NOT_VERIFIED = (
    "false",
    "no",
    "True",
    "TRUE",
    "1",
    "yes",
    "",
    " true",
    1,
    0,
    1.0,
    None,
    [],
    [True],
    {"is": True},
    False,
)


@pytest.fixture
def provider(settings):
    with IdentityProvider() as provider:
        settings.SOCIALACCOUNT_PROVIDERS = provider.apps()
        yield provider


@pytest.fixture
def kim(join):
    """An owner whose address is proved."""
    user = join("kim", "owner").user
    user.email = "kim@corp.example"
    user.save()
    address_prove(user=user)
    return user


def sign_on(provider, **claims):
    """A browser that came back from the provider, and the last page that it saw."""
    provider.claims = {"sub": "x1", "email": "kim@corp.example"} | claims
    browser = Client()
    return browser, provider.walk(browser).text


def is_in(browser):
    return browser.get("/account/").status_code == 200


@pytest.mark.sampled
@pytest.mark.parametrize("said", NOT_VERIFIED, ids=repr)
def test_an_address_is_unverified_unless_the_claim_is_true(provider, kim, owner, said):
    invitation_create(actor=owner, email="kate@corp.example", role="owner")
    for email in ("kim@corp.example", "kate@corp.example"):
        browser, page = sign_on(provider, email=email, email_verified=said)
        assert not is_in(browser)
        assert "You need an invitation" in page and "did not confirm an e-mail address" in page
    assert not SocialAccount.objects.exists()
    assert not User.objects.filter(email="kate@corp.example").exists()


def test_an_address_without_the_claim_is_not_verified(provider, kim):
    assert not is_in(sign_on(provider)[0])


@pytest.mark.parametrize("said", [True, "true"])
def test_the_claim_true_and_the_text_true_verify_an_address(provider, kim, owner, said):
    assert is_in(sign_on(provider, email_verified=said)[0])
    assert SocialAccount.objects.get().user == kim
    invitation_create(actor=owner, email="kate@corp.example", role="viewer")
    assert is_in(sign_on(provider, sub="x2", email="kate@corp.example", email_verified=said)[0])
    assert EmailAddress.objects.get(email="kate@corp.example").verified is True


def test_an_id_token_is_read_as_strictly_as_the_userinfo(provider, kim):
    for said, arrives in (("false", False), ("true", True)):
        provider.id_claims = {"sub": "x1", "email": "kim@corp.example", "email_verified": said}
        provider.claims = {}
        browser = Client()
        provider.walk(browser)
        assert is_in(browser) is arrives, said


def test_an_id_token_of_another_person_is_refused(provider, kim):
    provider.id_claims = {"sub": "x2"}
    browser, page = sign_on(provider, email_verified=True)
    assert not is_in(browser) and "Single sign-on did not work" in page


def test_linking_an_identity_does_not_prove_an_unverified_address(provider, kim, join):
    guest = join("guest", "viewer").user
    browser = signed_in(guest)
    browser.post("/account/reauthenticate/", {"password": PASSWORD})
    provider.claims = {"sub": "x1", "email": "guest@example.org", "email_verified": "false"}
    provider.walk(browser, process="connect")
    assert not EmailAddress.objects.filter(user=guest, verified=True).exists()
    assert SocialAccount.objects.get().user == guest
    # The identity is the guest's now, whatever address it claims.
    arrived, _ = sign_on(provider, email_verified=True)
    assert arrived.get("/account/").context["user"] == guest


@pytest.mark.parametrize("local", RELATIVES, ids=ascii)
def test_a_lookalike_letter_in_an_address_is_another_letter(provider, kim, owner, local):
    assert person_of_address(f"{local}@corp.example") is None
    assert person_called(f"{local}@corp.example") is None
    browser, page = sign_on(provider, email=f"{local}@corp.example", email_verified=True)
    assert not is_in(browser) and "You need an invitation" in page
    with pytest.raises(ValidationError, match="Type an e-mail address"):
        invitation_create(actor=owner, email=f"{local}@corp.example", role="owner")


def test_a_lookalike_address_cannot_accept_an_invitation(provider, owner):
    invitation_create(actor=owner, email="kate@corp.example", role="owner")
    browser, page = sign_on(provider, email=f"{KELVIN}ate@corp.example", email_verified=True)
    assert not is_in(browser) and "You need an invitation" in page
    assert Invitation.objects.get().accepted_at is None


def test_domains_with_lookalike_letters_are_different(provider, kim):
    kim.email = "kim@kim.example"
    kim.save()
    address_prove(user=kim)
    assert not is_in(sign_on(provider, email=f"kim@{KELVIN}im.example", email_verified=True)[0])


def test_addresses_that_differ_in_the_case_of_a_to_z_are_the_same(provider, kim, owner):
    assert person_of_address("KIM@Corp.Example") == person_called("Kim@CORP.example") == kim
    assert is_in(sign_on(provider, email="KIM@CORP.EXAMPLE", email_verified=True)[0])
    with pytest.raises(ValidationError, match="member already"):
        invitation_create(actor=owner, email="KIM@corp.example", role="viewer")
    kate = User.objects.create_user("kate", "KATE@Corp.Example", PASSWORD)
    assert kate.email == "kate@corp.example"


def test_a_lookalike_address_cannot_request_a_password_or_address_change(kim, join, settings):
    settings.MAIL_WORKS = True
    answer = Client().post("/account/password/reset/", {"email": f"{KELVIN}im@corp.example"})
    assert "letters A to Z" in answer.text
    notices_send()
    assert not mail.outbox
    guest = join("guest", "viewer").user
    form = EmailForm(guest, {"email": f"{KELVIN}im@corp.example"})
    assert not form.is_valid() and "letters A to Z" in str(form.errors)
    with pytest.raises(CommandError):
        call_command("set_email", "guest", f"{KELVIN}im@corp.example")
    with pytest.raises(CommandError):
        call_command("reset_link", f"{KELVIN}im@corp.example")


def test_a_lookalike_user_name_is_refused(kim, owner):
    invitation, _ = invitation_create(actor=owner, email="new@corp.example", role="viewer")
    with pytest.raises(ValidationError, match="taken"):
        invitation_accept_new(invitation=invitation, username=f"{KELVIN}im", full_name="", password=PASSWORD)


@pytest.mark.parametrize(
    "claims",
    [
        ["kim"], "kim", 7, {"email": "kim@corp.example", "email_verified": True}, {"sub": ""}, {"sub": None},
        {"sub": "x" * 400}, {"sub": ["x1"]}, {"sub": True}, {"sub": "x\x00"}, {"sub": "\ud800"},
    ],
    ids=lambda claims: ascii(claims)[:40],
)  # fmt: skip
def test_an_answer_without_a_person_is_refused_with_a_sentence(provider, kim, claims):
    provider.claims = claims
    browser = Client()
    assert "Single sign-on did not work" in provider.walk(browser).text
    assert not is_in(browser) and not SocialAccount.objects.exists()


@pytest.mark.long
def test_unusual_claims_do_no_harm(provider, owner):
    odd = (7, None, ["a"], {"a": 1}, "\ud800", "a\x00b", "n" * 5000)
    for index, value in enumerate(odd):
        invitation_create(actor=owner, email=f"new{index}@corp.example", role="viewer")
        claims = dict.fromkeys(("name", "given_name", "family_name", "preferred_username", "picture", "phone"), value)
        claims |= {"sub": f"n{index}", "email": f"new{index}@corp.example", "email_verified": True}
        browser, _ = sign_on(provider, **claims)
        assert is_in(browser), value
    for value in odd:
        assert not is_in(sign_on(provider, sub="n9", email=value, email_verified=True)[0]), value
    assert Membership.objects.filter(role="viewer").count() == len(odd)
