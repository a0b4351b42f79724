"""Several organizations of one person: made, switched, renamed, deleted, and never mixed."""

from __future__ import annotations

import pytest

from accounts.models import AuditEntry, Membership, Organization
from tests.visitors import signed_in

pytestmark = pytest.mark.django_db


def test_a_new_organization_has_the_catalog_and_its_maker_acts_in_it(page, organization):
    response = page.post("/organization/new/", {"name": "Second Lab"}, follow=True)
    assert "You are its owner" in response.content.decode()
    made = Organization.objects.get(name="Second Lab")
    assert made.agents.count() == organization.agents.count() > 10
    assert made.memberships.get().role == "owner"
    assert "Second Lab" in page.get("/").content.decode()


def test_two_organizations_may_have_one_name(page):
    for _ in range(2):
        page.post("/organization/new/", {"name": "Same"})
    assert len(set(Organization.objects.filter(name="Same").values_list("slug", flat=True))) == 2


def test_switching_changes_what_every_page_shows(page, alice, other, played):
    experiment = played("random")
    Membership.objects.create(organization=other.organization, user=alice, role="viewer")
    assert page.get(f"/experiments/{experiment.pk}/").status_code == 200
    page.post("/organization/switch/", {"organization": other.organization_id})
    assert page.get(f"/experiments/{experiment.pk}/").status_code == 404
    assert page.post(f"/experiments/{experiment.pk}/delete/").status_code == 403, "only a viewer here"
    text = page.get("/organization/").content.decode()
    assert "Other Lab" in text and "Switch to Market Lab" in text


@pytest.mark.parametrize("wanted", ["", "x", "999999", "foreign"])
def test_a_foreign_organization_cannot_be_switched_to(page, other, wanted):
    chosen = other.organization_id if wanted == "foreign" else wanted
    assert page.post("/organization/switch/", {"organization": chosen}).status_code == 404
    session = page.session
    session["organization"] = other.organization_id
    session.save()
    text = page.get("/organization/").content.decode()
    assert "Market Lab" in text and "Other Lab" not in text


def test_an_owner_renames(page, organization):
    page.post("/organization/settings/", {"name": "  Market Laboratory "})
    organization.refresh_from_db()
    assert organization.name == "Market Laboratory"
    assert AuditEntry.objects.get(action="organization.renamed").subject == "Market Lab → Market Laboratory"


@pytest.mark.parametrize("name", ["", "   ", "x" * 101])
def test_a_name_that_is_none_is_refused(page, name):
    assert page.post("/organization/settings/", {"name": name}).status_code == 422


def test_deleting_takes_the_typed_name_and_everything_goes(page, played, other, alice):
    experiment = played("random")
    Membership.objects.create(organization=other.organization, user=alice, role="viewer")
    wrong = page.post("/organization/delete/", {"name": "market lab"})
    assert wrong.status_code == 422
    assert "exactly as it is shown" in wrong.content.decode()
    response = page.post("/organization/delete/", {"name": "Market Lab"}, follow=True)
    assert "Deleted Market Lab" in response.content.decode()
    assert not Organization.objects.filter(name="Market Lab").exists()
    assert not type(experiment).objects.filter(pk=experiment.pk).exists()
    assert "Other Lab" in page.get("/organization/").content.decode()


def test_the_only_organization_of_a_person_stays(page):
    assert "cannot delete your only organization" in page.get("/organization/settings/").content.decode()
    assert page.post("/organization/delete/", {"name": "Market Lab"}).status_code == 422
    assert Organization.objects.filter(name="Market Lab").exists()


def test_only_owners_delete(join, other):
    member = join("edda", "editor")
    Membership.objects.create(organization=other.organization, user=member.user, role="owner")
    assert signed_in(member.user).post("/organization/delete/", {"name": "Market Lab"}).status_code == 403


def test_fields_that_a_form_does_not_have_change_nothing(page, organization):
    page.post(
        "/organization/settings/",
        {"name": "Market Lab 2", "slug": "x", "allow_environment_keys": "", "monthly_budget_nano": "1", "id": "999"},
    )
    organization.refresh_from_db()
    assert (organization.slug, organization.allow_environment_keys) == ("market-lab", True)
    assert organization.monthly_budget_nano is None


def test_a_person_in_no_organization_cannot_make_one(page, owner, join):
    member = join("rex", "editor")
    browser = signed_in(member.user)
    page.post(f"/organization/members/{member.pk}/remove/")
    assert browser.post("/organization/new/", {"name": "Mine"}).status_code == 403
