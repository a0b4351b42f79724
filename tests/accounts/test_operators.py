"""Site operators: only the command makes one, and its entries stand in the audit log."""

import pytest
from django.core.management import CommandError, call_command

from accounts.models import AuditEntry, User


def is_operator(user):
    return User.objects.get(pk=user.pk).is_operator


def test_the_command_gives_and_takes_the_role_with_audit_entries(alice, organization, capsys):
    call_command("operator", "alice")
    call_command("operator", "alice")
    call_command("operator")
    call_command("operator", "alice", "--remove")
    assert capsys.readouterr().out.splitlines() == [
        "alice is a site operator.",
        "alice already was a site operator.",
        "alice",
        "alice is no longer a site operator.",
    ]
    entries = AuditEntry.objects.filter(action__startswith="operator.").order_by("id")
    assert [(entry.action, entry.subject, entry.actor) for entry in entries] == [
        ("operator.added", alice.shown_name, None),
        ("operator.removed", alice.shown_name, None),
    ]
    assert not is_operator(alice)


def test_the_command_refuses_unknown_names(alice):
    with pytest.raises(CommandError, match="There is no user with the name mallory"):
        call_command("operator", "mallory")
    with pytest.raises(CommandError, match="Give the user name"):
        call_command("operator", "--remove")


def test_no_form_of_an_owner_makes_an_operator(alice, page, join, owner):
    vera = join("vera", "viewer")
    fields = {"is_operator": "1", "user-is_operator": "on", "operator": "true"}
    page.post("/account/", {"full_name": "Alice", **fields})
    page.post(f"/organization/members/{vera.pk}/role/", {"role": "owner", **fields})
    page.post("/organization/settings/", {"name": "Lab", **fields})
    page.post("/organization/new/", {"name": "Second Lab", **fields})
    assert not User.objects.filter(is_operator=True).exists()


def test_the_account_page_says_that_a_person_is_an_operator(alice, page):
    assert "Site operator" not in page.get("/account/").content.decode()
    call_command("operator", "alice")
    assert "Site operator" in page.get("/account/").content.decode()
