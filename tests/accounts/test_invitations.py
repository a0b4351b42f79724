"""Invitations: a link that is shown once, works once, for seven days, and can be taken back."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, Invitation, Membership, User
from accounts.services import invitation_accept, invitation_of, member_remove
from tests.accounts.conftest import PASSWORD, signed_in

pytestmark = pytest.mark.django_db
NEW = {"username": "nora", "full_name": "Nora Ny", "password": "a sentence easy to keep"}


def link_on(response) -> str:
    import re

    return re.search(r'id="invitation-link">http://testserver(/invitations/[^<]+)<', response.content.decode())[1]


def test_an_owner_gets_a_link_that_is_stored_only_as_a_hash(page):
    response = page.post("/organization/invitations/", {"email": "Nora@Example.org", "role": "editor"})
    token = link_on(response).split("/")[2]
    assert len(token) >= 22, "128 bits"
    invitation = Invitation.objects.get()
    assert invitation.email == "nora@example.org"
    assert token not in str(Invitation.objects.values().get())
    assert token not in page.get("/organization/").content.decode()
    assert "no-store" in response["Cache-Control"]
    assert timedelta(days=6.9) < invitation.expires_at - timezone.now() <= timedelta(days=7)


def test_a_new_person_makes_an_account_with_it_and_is_in(invite):
    link, browser = invite("nora@example.org"), Client()
    assert "nora@example.org" in browser.get(link).content.decode()
    response = browser.post(link, NEW, follow=True)
    assert "Welcome to Market Lab." in response.content.decode()
    user = User.objects.get(username="nora")
    assert (user.email, user.get_full_name()) == ("nora@example.org", "Nora Ny")
    assert user.memberships.get().role == "editor"
    assert Client().post("/login/", {"username": "nora", "password": NEW["password"]}).status_code == 302


def test_somebody_signed_in_joins_by_saying_yes(invite, other):
    link, browser = invite("someone@example.org", "viewer"), signed_in(other.user)
    assert "mallory@example.org" in browser.get(link).content.decode()
    browser.post(link)
    assert other.user.memberships.count() == 2
    assert "Market Lab" in browser.get("/organization/").content.decode()
    assert "invited as someone@example.org" in AuditEntry.objects.get(action="member.joined").subject


def test_a_link_works_once(invite):
    link = invite()
    assert Client().post(link, NEW).status_code == 302
    again = Client().post(link, NEW | {"username": "eve"})
    assert again.status_code == 403
    assert not User.objects.filter(username="eve").exists()


def test_used_revoked_expired_replaced_and_made_up_links_get_the_same_answer(page, invite, organization):
    used, expired, revoked, replaced = (invite(f"{n}@example.org") for n in ("used", "old", "back", "again"))
    Client().post(used, NEW)
    Invitation.objects.filter(email="old@example.org").update(expires_at=timezone.now() - timedelta(seconds=1))
    page.post(f"/organization/invitations/{Invitation.objects.get(email='back@example.org').pk}/revoke/")
    page.post(f"/organization/invitations/{Invitation.objects.get(email='again@example.org').pk}/renew/")
    answers = [Client().get(link) for link in (used, expired, revoked, replaced, "/invitations/made-up/")]
    assert {answer.status_code for answer in answers} == {403}
    assert len({answer.content for answer in answers}) == 1


def test_a_renewed_invitation_has_a_new_link_and_seven_new_days(page, invite):
    old = invite("nora@example.org", "viewer")
    first = Invitation.objects.get()
    Invitation.objects.update(expires_at=timezone.now() - timedelta(days=1))
    new = link_on(page.post(f"/organization/invitations/{first.pk}/renew/"))
    assert new != old
    assert Client().get(old).status_code == 403
    assert Client().get(new).status_code == 200
    assert Invitation.objects.get(revoked_at=None).role == "viewer"


def test_a_link_does_not_promote_a_member(invite, join):
    member = join("edda", "editor")
    response = signed_in(member.user).post(invite("other@example.org", "owner"))
    assert response.status_code == 403
    member.refresh_from_db()
    assert member.role == "editor"
    assert Invitation.objects.get().accepted_at is None


def test_two_people_with_one_link_make_one_member(invite, other):
    token = invite().split("/")[2]
    first, second = invitation_of(token), invitation_of(token)
    invitation_accept(invitation=first, user=other.user)
    from django.core.exceptions import ValidationError

    with pytest.raises(ValidationError):
        invitation_accept(invitation=second, user=User.objects.create_user("eve", "eve@example.org", PASSWORD))
    assert not Membership.objects.filter(user__username="eve").exists()


def test_somebody_with_an_account_is_asked_to_log_in(invite, join, owner):
    member = join("edda", "editor")
    member_remove(actor=owner, membership=member)
    link = invite("edda@example.org")
    text = Client().get(link).content.decode()
    assert f"/login/?next={link}" in text and "Make an account" not in text
    assert Client().post(link, NEW).status_code == 422
    assert not User.objects.filter(username="nora").exists()


@pytest.mark.parametrize(
    ("field", "value", "sentence"),
    [
        ("username", "alice", "taken"),
        ("username", "no spaces", "letters, digits"),
        ("password", "short", "too short"),
        ("password", "1qaz2wsx3edc", "too common"),
    ],
)
def test_a_wrong_field_is_said_beside_it_and_the_link_stays_good(invite, field, value, sentence):
    link = invite()
    response = Client().post(link, NEW | {field: value})
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert Client().get(link).status_code == 200


@pytest.mark.parametrize(
    ("email", "role", "sentence"),
    [("", "editor", "Type the e-mail"), ("no", "editor", "such as ada@"), ("alice@example.org", "editor", "already")],
)
def test_an_invitation_that_makes_no_sense_is_refused_in_a_sentence(page, email, role, sentence):
    response = page.post("/organization/invitations/", {"email": email, "role": role})
    assert response.status_code == 422
    assert sentence in response.content.decode()
    assert not Invitation.objects.exists()


def test_the_link_goes_out_by_mail_where_the_site_can_send(page, settings):
    page.post("/organization/invitations/", {"email": "one@example.org", "role": "viewer"})
    assert not mail.outbox
    settings.MAIL_WORKS = True
    response = page.post("/organization/invitations/", {"email": "two@example.org", "role": "viewer"})
    (message,) = mail.outbox
    assert message.to == ["two@example.org"]
    assert link_on(response) in message.body


def test_a_mail_server_that_is_away_leaves_the_owner_the_link(page, settings):
    settings.MAIL_WORKS = True
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    response = page.post("/organization/invitations/", {"email": "two@example.org", "role": "viewer"})
    assert "did not send it by e-mail" in response.content.decode()
    assert Client().get(link_on(response)).status_code == 200
