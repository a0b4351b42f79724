"""Members: roles, removal, the last owner, and what a removed member still sees: nothing."""

from __future__ import annotations

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts import hooks
from accounts.models import Invitation, Membership
from accounts.services import invitation_create, member_leave, member_remove, member_set_role
from tests.visitors import signed_in

pytestmark = pytest.mark.django_db


def test_an_owner_changes_a_role(page, join):
    member = join("edda", "viewer")
    response = page.post(f"/organization/members/{member.pk}/role/", {"role": "editor"}, follow=True)
    assert "edda is now an editor." in response.content.decode()
    member.refresh_from_db()
    assert member.role == "editor"


def test_nobody_promotes_themselves(join, owner):
    for role in ("viewer", "editor"):
        member = join(f"the-{role}", role)
        response = signed_in(member.user).post(f"/organization/members/{member.pk}/role/", {"role": "owner"})
        assert response.status_code == 403
        member.refresh_from_db()
        assert member.role == role
    with pytest.raises(PermissionDenied):
        member_set_role(actor=owner, membership=owner, role="owner")


def test_a_service_refuses_an_actor_who_is_no_owner_any_more(join, owner):
    second, third = join("otto", "owner"), join("vera", "viewer")
    member_set_role(actor=owner, membership=second, role="editor")
    assert second.role == "owner", "the row the actor read before"
    with pytest.raises(PermissionDenied):
        member_remove(actor=second, membership=third)


def test_the_last_owner_can_neither_leave_nor_be_demoted_nor_removed(page, owner, join):
    second = join("otto", "owner")
    member_set_role(actor=second, membership=owner, role="editor")
    with pytest.raises(ValidationError):
        member_leave(membership=second)
    for act in (member_set_role, member_remove):
        options = {"role": "viewer"} if act is member_set_role else {}
        with pytest.raises(PermissionDenied):
            act(actor=owner, membership=second, **options)
        with pytest.raises(PermissionDenied):
            act(actor=second, membership=second, **options)
    assert list(Membership.objects.filter(role="owner")) == [second]


def test_the_only_owner_is_told_why_there_is_no_way_out(page):
    response = page.post("/organization/leave/", follow=True)
    text = response.content.decode()
    assert "Make another member an owner first." in text
    assert 'action="/organization/leave/"' not in text


def test_a_removed_member_sees_nothing_from_the_next_request_on(page, join):
    member = join("edda", "editor")
    browser = signed_in(member.user)
    assert browser.get("/experiments/").status_code == 200
    page.post(f"/organization/members/{member.pk}/remove/")
    for address in ("/", "/experiments/", "/agents/", "/organization/"):
        response = browser.get(address)
        assert response.status_code == 403
        assert "Market Lab" not in response.content.decode()
    assert browser.get("/account/").status_code == 200


def test_a_removed_member_falls_back_to_another_organization(page, join, other):
    member = join("edda", "editor")
    Membership.objects.create(organization=other.organization, user=member.user, role="viewer")
    browser = signed_in(member.user)
    assert "Market Lab" in browser.get("/organization/").content.decode()
    page.post(f"/organization/members/{member.pk}/remove/")
    text = browser.get("/organization/").content.decode()
    assert "Other Lab" in text and "Market Lab" not in text


def test_layers_above_hear_of_everybody_who_goes(organization, owner, join, monkeypatch):
    heard = []
    monkeypatch.setattr(hooks, "member_removed", [lambda place, user: heard.append((place, user.username))])
    member_remove(actor=owner, membership=join("edda", "editor"))
    member_leave(membership=join("vera", "viewer"))
    assert heard == [(organization, "edda"), (organization, "vera")]


def test_who_is_no_owner_any_more_cannot_come_back_by_a_link_of_their_own(owner, join):
    for end in (
        lambda m: member_remove(actor=owner, membership=m),
        lambda m: member_set_role(actor=owner, membership=m, role="viewer"),
        lambda m: member_leave(membership=m),
    ):
        second = join(f"otto{Membership.objects.count()}-{Invitation.objects.count()}", "owner")
        invitation, _ = invitation_create(actor=second, email=f"{second.pk}@example.org", role="owner")
        end(second)
        assert not Invitation.objects.filter(Invitation.open_now(), pk=invitation.pk).exists()


def test_a_viewer_sees_members_and_no_way_to_change_them(join):
    text = signed_in(join("vera", "viewer").user).get("/organization/").content.decode()
    assert "alice@example.org" in text
    for trace in (
        "/role/",
        "/remove/",
        "/organization/invitations/",
        "/organization/settings/",
        "/organization/audit/",
    ):
        assert trace not in text
    assert 'action="/organization/leave/"' in text


def test_the_members_page_takes_the_same_queries_however_many_members(page, join, owner):
    def queries() -> int:
        with CaptureQueriesContext(connection) as found:
            assert page.get("/organization/").status_code == 200
        return len(found)

    few = queries()
    for number in range(12):
        join(f"member{number}", "editor")
        invitation_create(actor=owner, email=f"guest{number}@example.org", role="viewer")
    assert few == queries() == 5 + 3, "session, person, memberships, the month, mentions; members, tokens, invitations"
