"""Organizations of a person, and their members: roles, removal, the last owner, and what a removed member still sees."""

import pytest
from django.core.exceptions import PermissionDenied, ValidationError

from accounts import hooks
from accounts.models import AuditEntry, Invitation, Membership, Organization
from accounts.services import invitation_create, member_remove, member_set_role
from accounts.services.members import member_leave
from tests.visitors import signed_in


def test_a_member_cannot_promote_themselves(join, owner):
    for role in ("viewer", "editor"):
        member = join(f"the-{role}", role)
        response = signed_in(member.user).post(f"/organization/members/{member.pk}/role/", {"role": "owner"})
        assert response.status_code == 403
        member.refresh_from_db()
        assert member.role == role
    with pytest.raises(PermissionDenied):
        member_set_role(actor=owner, membership=owner, role="owner")


def test_a_service_refuses_an_actor_who_is_no_longer_an_owner(join, owner):
    second, third = join("otto", "owner"), join("vera", "viewer")
    member_set_role(actor=owner, membership=second, role="editor")
    assert second.role == "owner", "the row the actor read before"
    with pytest.raises(PermissionDenied):
        member_remove(actor=second, membership=third)


def test_the_last_owner_can_neither_leave_nor_be_demoted_nor_removed(page, owner, join):
    text = page.post("/organization/leave/", follow=True).text
    assert "Make another member an owner first." in text and 'action="/organization/leave/"' not in text
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


@pytest.mark.long
def test_a_removed_member_loses_access_with_the_next_request(page, join, other):
    member = join("edda", "editor")
    browser = signed_in(member.user)
    assert browser.get("/experiments/").status_code == 200
    page.post(f"/organization/members/{member.pk}/remove/")
    for address in ("/", "/experiments/", "/agents/", "/organization/"):
        response = browser.get(address)
        assert response.status_code == 403
        assert "Market Lab" not in response.text
    assert browser.get("/account/").status_code == 200
    Membership.objects.create(organization=other.organization, user=member.user, role="viewer")
    text = browser.get("/organization/").text
    assert "Other Lab" in text and "Market Lab" not in text


def test_listeners_hear_of_every_member_who_leaves(organization, owner, join, monkeypatch):
    heard = []
    monkeypatch.setattr(hooks, "member_removed", [lambda place, user: heard.append((place, user.username))])
    member_remove(actor=owner, membership=join("edda", "editor"))
    member_leave(membership=join("vera", "viewer"))
    assert heard == [(organization, "edda"), (organization, "vera")]


def test_a_former_owner_cannot_return_by_an_invitation_that_they_created(owner, join):
    for end in (
        lambda m: member_remove(actor=owner, membership=m),
        lambda m: member_set_role(actor=owner, membership=m, role="viewer"),
        lambda m: member_leave(membership=m),
    ):
        second = join(f"otto{Membership.objects.count()}-{Invitation.objects.count()}", "owner")
        invitation, _ = invitation_create(actor=second, email=f"{second.pk}@example.org", role="owner")
        end(second)
        assert not Invitation.objects.filter(Invitation.open_now(), pk=invitation.pk).exists()


def test_a_viewer_sees_members_but_no_controls_to_change_them(viewer):
    text = viewer.get("/organization/").text
    assert "alice@example.org" in text and 'action="/organization/leave/"' in text
    for trace in ("/role/", "/remove/", *(f"/organization/{name}/" for name in ("invitations", "settings", "audit"))):
        assert trace not in text


def test_the_query_count_of_the_members_page_does_not_grow_with_members(page, join, owner, django_assert_num_queries):
    for members in range(0, 13, 12):
        for number in range(members):
            join(f"member{number}", "editor")
            invitation_create(actor=owner, email=f"guest{number}@example.org", role="viewer")
        # Session, person, memberships, the month, mentions; members, tokens, invitations; webhooks, links, studies, games,
        # watches.
        with django_assert_num_queries(5 + 3 + 5):
            assert page.get("/organization/").status_code == 200


@pytest.mark.long
def test_a_new_organization_has_the_catalog_and_becomes_the_current_organization(page, organization):
    response = page.post("/organization/new/", {"name": "Second Lab"}, follow=True)
    assert "You are its owner" in response.text
    made = Organization.objects.get(name="Second Lab")
    assert made.agents.count() == organization.agents.count() > 10
    assert made.memberships.get().role == "owner"
    assert "Second Lab" in page.get("/").text
    page.post("/organization/new/", {"name": "Second Lab"})
    assert len(set(Organization.objects.filter(name="Second Lab").values_list("slug", flat=True))) == 2


@pytest.mark.long
def test_switching_changes_what_every_page_shows(page, alice, other, played):
    experiment = played("random")
    Membership.objects.create(organization=other.organization, user=alice, role="viewer")
    assert page.get(f"/experiments/{experiment.pk}/").status_code == 200
    page.post("/organization/switch/", {"organization": other.organization_id})
    assert page.get(f"/experiments/{experiment.pk}/").status_code == 404
    assert page.post(f"/experiments/{experiment.pk}/delete/").status_code == 403, "only a viewer here"
    text = page.get("/organization/").text
    assert "Other Lab" in text and "Switch to Market Lab" in text


def test_a_person_cannot_switch_to_a_foreign_organization(page, other):
    for wanted in ("", "x", "999999", other.organization_id):
        assert page.post("/organization/switch/", {"organization": wanted}).status_code == 404
    session = page.session
    session["organization"] = other.organization_id
    session.save()
    text = page.get("/organization/").text
    assert "Market Lab" in text and "Other Lab" not in text


def test_an_owner_renames_the_organization_and_unknown_fields_change_nothing(page, organization):
    other_fields = {"slug": "x", "allow_environment_keys": "", "monthly_budget_nano": "1", "id": "999"}
    page.post("/organization/settings/", {"name": "  Market Laboratory "} | other_fields)
    organization.refresh_from_db()
    assert (organization.name, organization.slug) == ("Market Laboratory", "market-lab")
    assert organization.allow_environment_keys and organization.monthly_budget_nano is None
    for name in ("", "   ", "x" * 101):
        assert page.post("/organization/settings/", {"name": name}).status_code == 422
    assert AuditEntry.objects.get(action="organization.renamed").subject == "Market Lab → Market Laboratory"


@pytest.mark.long
def test_deleting_an_organization_needs_its_typed_name_and_deletes_everything(page, played, other, alice):
    experiment = played("random")
    Membership.objects.create(organization=other.organization, user=alice, role="viewer")
    wrong = page.post("/organization/delete/", {"name": "market lab"})
    assert wrong.status_code == 422
    assert "exactly as it is shown" in wrong.text
    response = page.post("/organization/delete/", {"name": "Market Lab"}, follow=True)
    assert "Deleted Market Lab" in response.text
    assert not Organization.objects.filter(name="Market Lab").exists()
    assert not type(experiment).objects.filter(pk=experiment.pk).exists()
    assert "Other Lab" in page.get("/organization/").text


def test_a_person_cannot_delete_their_only_organization(page):
    assert "cannot delete your only organization" in page.get("/organization/settings/").text
    assert page.post("/organization/delete/", {"name": "Market Lab"}).status_code == 422
    assert Organization.objects.filter(name="Market Lab").exists()
