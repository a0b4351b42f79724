"""Invitations: a link is displayed once, works once within seven days, and can be revoked."""

import re
from datetime import timedelta

import pytest
from django.core import mail
from django.core.exceptions import ValidationError
from django.test import Client
from django.utils import timezone

from accounts.models import AuditEntry, Invitation, Membership, Notice, User
from accounts.outbox import notices_send
from accounts.services import invitation_of, member_remove
from accounts.services.invitations import invitation_accept
from accounts.services.people import address_is_proved
from tests.accounts.steps import log_in, mailed_link
from tests.visitors import PASSWORD, signed_in

NEW = {"username": "nora", "full_name": "Nora Ny", "password": "a sentence easy to keep"}


def link_on(response):
    return re.search(r'id="invitation-link">http://testserver(/invitations/[^<]+)<', response.text)[1]


def test_an_owner_gets_a_link_that_is_stored_only_as_a_hash(page):
    response = page.post("/organization/invitations/", {"email": "Nora@Example.org", "role": "editor"})
    token = link_on(response).split("/")[2]
    assert len(token) >= 22, "128 bits"
    invitation = Invitation.objects.get()
    assert invitation.email == "nora@example.org"
    assert token not in str(Invitation.objects.values().get())
    assert token not in page.get("/organization/").text
    assert "no-store" in response["Cache-Control"]
    assert timedelta(days=6.9) < invitation.expires_at - timezone.now() <= timedelta(days=7)


def test_a_new_person_creates_an_account_by_an_invitation_and_is_signed_in(invite):
    link, browser = invite("nora@example.org"), Client()
    assert "nora@example.org" in browser.get(link).text
    response = browser.post(link, NEW, follow=True)
    assert "Welcome to Market Lab." in response.text
    user = User.objects.get(username="nora")
    assert (user.email, user.get_full_name()) == ("nora@example.org", "Nora Ny")
    assert user.memberships.get().role == "editor"
    assert log_in("nora", NEW["password"]).status_code == 302


def test_a_signed_in_person_joins_by_accepting(invite, other):
    link, browser = invite("someone@example.org", "viewer"), signed_in(other.user)
    assert "mallory@example.org" in browser.get(link).text
    browser.post(link)
    assert other.user.memberships.count() == 2
    assert "Market Lab" in browser.get("/organization/").text
    assert "invited as someone@example.org" in AuditEntry.objects.get(action="member.joined").subject


def test_used_revoked_expired_replaced_and_made_up_links_get_the_same_answer(page, invite, organization):
    used, expired, revoked, replaced = (invite(f"{n}@example.org") for n in ("used", "old", "back", "again"))
    assert Client().post(used, NEW).status_code == 302
    assert Client().post(used, NEW | {"username": "eve"}).status_code == 403
    assert not User.objects.filter(username="eve").exists()
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


def test_an_invitation_link_adds_only_the_first_person_who_accepts(invite, other):
    token = invite().split("/")[2]
    first, second = invitation_of(token), invitation_of(token)
    invitation_accept(invitation=first, user=other.user)

    with pytest.raises(ValidationError):
        invitation_accept(invitation=second, user=User.objects.create_user("eve", "eve@example.org", PASSWORD))
    assert not Membership.objects.filter(user__username="eve").exists()


def test_a_person_with_an_account_must_log_in_to_join(invite, join, owner):
    member = join("edda", "editor")
    member_remove(actor=owner, membership=member)
    link = invite("edda@example.org")
    assert f"/login/?next={link}" in Client().get(link).text
    assert Client().post(link, NEW).status_code == 422
    assert not User.objects.filter(username="nora").exists()


def test_the_page_does_not_say_whether_the_address_has_an_account(invite, other):
    hidden = re.compile(r"/invitations/[^/]+/|value=\"[^\"]*\"")
    pages = []
    for email in ("mallory@example.org", "nobody1@example.org"):
        text = Client().get(invite(email)).text
        pages.append(hidden.sub("", text.replace(email, "")))
    assert pages[0] == pages[1]


def test_an_invalid_field_is_explained_and_the_invitation_stays_valid(invite):
    link = invite()
    for field, value, sentence in (
        ("username", "alice", "taken"),
        ("username", "no spaces", "letters, digits"),
        ("password", "short", "too short"),
        ("password", "1qaz2wsx3edc", "too common"),
    ):
        response = Client().post(link, NEW | {field: value})
        assert response.status_code == 422 and sentence in response.text
        assert Client().get(link).status_code == 200


def test_an_invalid_invitation_is_refused_with_a_sentence(page):
    for email, sentence in (("", "Type the e-mail"), ("no", "such as ada@"), ("alice@example.org", "already")):
        response = page.post("/organization/invitations/", {"email": email, "role": "editor"})
        assert response.status_code == 422 and sentence in response.text
    assert not Invitation.objects.exists()


def test_a_mailed_link_appears_only_in_the_message(page, mail_works):
    response = page.post("/organization/invitations/", {"email": "two@example.org", "role": "viewer"})
    token = mailed_link("two@example.org").split("/")[2]
    assert Client().get(f"/invitations/{token}/").status_code == 200 and len(mail.outbox) == 1
    assert "We send a link to this address" in response.text
    for text in (response.text, page.get("/organization/").text, str(Notice.objects.values())):
        assert token not in text


def test_a_link_shown_to_the_owner_proves_no_address_and_gives_access(invite):
    browser = Client()
    browser.post(invite("nora@example.org"), NEW)
    assert not address_is_proved(User.objects.get(username="nora"))
    assert browser.get("/experiments/").status_code == 200
    assert log_in("nora@example.org", NEW["password"]).status_code == 302


@pytest.mark.long
def test_a_mailed_link_proves_only_the_address_that_it_was_sent_to(page, mail_works, other, join):
    vera = User.objects.create_user("vera", "vera@example.org", PASSWORD)

    def mailed(email):
        page.post("/organization/invitations/", {"email": email, "role": "viewer"})
        return mailed_link()

    Client().post(mailed("nora@example.org"), NEW)
    assert address_is_proved(User.objects.get(username="nora"))
    signed_in(vera).post(mailed("vera@example.org"))
    signed_in(other.user).post(mailed("somebody@example.org"))
    assert address_is_proved(vera)
    assert not address_is_proved(other.user)
    assert vera.has_usable_password()


def test_an_unreachable_mail_server_is_reported_and_tried_again(page, settings, mail_works, caplog):
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", 1
    page.post("/organization/invitations/", {"email": "two@example.org", "role": "viewer"})
    notices_send()
    assert "could not be sent; it is tried again" in caplog.text
    assert "not sent yet" in page.get("/organization/").text
    settings.EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
    Notice.objects.update(due_at=timezone.now())
    notices_send()
    assert [message.to for message in mail.outbox] == [["two@example.org"]]
    assert "not sent yet" not in page.get("/organization/").text


def test_an_undeliverable_message_is_given_up_and_logged_after_a_day(page, mail_works, caplog):
    page.post("/organization/invitations/", {"email": "two@example.org", "role": "viewer"})
    Notice.objects.update(created_at=timezone.now() - timedelta(days=1, seconds=1))
    notices_send()
    assert "given up" in caplog.text
    assert not mail.outbox and not Notice.objects.exists()
