"""The audit log: every service action leaves an entry; owners read, filter and page through the entries."""

import pytest
from django.core.exceptions import ValidationError

from accounts.models import AuditEntry
from accounts.services import endpoint_create, endpoint_delete, endpoint_move, endpoint_set_key
from tests.visitors import signed_in

KEY = "sk-canary-0123456789"
URL = "https://models.test/v1"


def entries(**filters):
    return list(AuditEntry.objects.filter(**filters).order_by("id").values_list("action", "subject"))


def test_changes_of_members_and_invitations_are_in_the_audit_log(page, join, alice):
    AuditEntry.objects.all().delete()
    member = join("edda", "viewer")
    changed = page.post(f"/organization/members/{member.pk}/role/", {"role": "editor"}, follow=True)
    assert "edda is now an editor." in changed.text
    page.post("/organization/invitations/", {"email": "nora@example.org", "role": "viewer"})
    member.refresh_from_db()
    assert member.role == "editor"
    signed_in(member.user).post("/organization/leave/")
    assert entries() == [
        ("member.role", "edda (edda@example.org): Viewer → Editor"),
        ("invitation.made", "nora@example.org, viewer"),
        ("member.left", "edda (edda@example.org)"),
    ]
    assert list(AuditEntry.objects.order_by("id").values_list("actor_name", flat=True)) == ["alice", "alice", "edda"]


def test_changes_of_keys_are_in_the_audit_log_without_the_key(organization, alice):
    AuditEntry.objects.all().delete()
    endpoint = endpoint_create(
        organization=organization, name="House", provider="openai-compatible", base_url=URL, key=KEY, actor=alice
    )
    endpoint_set_key(endpoint=endpoint, key="sk-another-987654321", actor=alice)
    endpoint_move(endpoint=endpoint, base_url="https://other.test/v1", key=KEY, actor=alice)
    endpoint_set_key(endpoint=endpoint, key="", actor=alice)
    endpoint_delete(endpoint=endpoint, actor=alice)
    assert [action for action, _ in entries()] == [
        "endpoint.added",
        "key.added",
        "key.replaced",
        "endpoint.moved",
        "key.replaced",
        "key.removed",
        "endpoint.removed",
    ]
    assert KEY not in str(entries()) and "canary" not in str(entries())
    assert "ends in 6789" in entries(action="key.added")[0][1]


def test_endpoint_changes_are_recorded_with_their_actor_and_without_the_key(page, organization, caplog):
    caplog.set_level("DEBUG")
    page.post("/agents/endpoints/new/", {"name": "House", "provider": "openai-compatible", "base_url": URL, "key": KEY})
    entry = AuditEntry.objects.get(action="key.added")
    assert entry.actor_name == "alice" and entry.organization == organization
    assert KEY not in caplog.text


def test_entries_cannot_be_changed_and_a_failed_action_leaves_no_entry(organization):
    with pytest.raises(ValidationError):
        endpoint_create(organization=organization, name="", provider="openai", key=KEY)
    entry = AuditEntry.objects.get()
    entry.subject = "nothing happened"
    with pytest.raises(TypeError):
        entry.save()


def test_owners_filter_and_page_the_entries_of_their_organization(page, organization, alice, other):
    AuditEntry.objects.bulk_create(
        AuditEntry(organization=organization, actor=alice, actor_name="alice", action="key.added", subject=f"key {n}")
        for n in range(120)
    )
    first = page.get("/organization/audit/").text
    assert "key 119" in first and "key 60" not in first and "1–50 of 121" in first
    assert "Other Lab" not in first and "mallory" not in first
    assert "key 60" in page.get("/organization/audit/?page=2").text
    only = page.get("/organization/audit/?action=organization.created").text
    assert "Market Lab" in only and "key 119" not in only
    assert "key 119" in page.get(f"/organization/audit/?actor={alice.pk}&days=7").text
    assert "No entry fits" in page.get("/organization/audit/?actor=999999").text
    for nonsense in ("?page=x", "?days=-1", "?action=x&actor=%00", "?page=99999999999999999999"):
        assert page.get("/organization/audit/" + nonsense).status_code == 200
