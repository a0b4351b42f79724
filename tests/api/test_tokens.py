"""Creating and revoking tokens on the pages."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from accounts.models import AuditEntry
from accounts.services import organization_create, organization_delete
from api.models import ApiToken
from tests.api.conftest import Program
from tests.visitors import signed_in

FORM = {"name": "laptop", "scopes": ["read", "launch"], "expires": "90"}


def shown(response):
    found = re.search(r'id="token-text">(ee_[0-9a-f]{40})<', response.text)
    return found.group(1) if found else ""


def test_a_token_is_displayed_once_stored_as_a_hash_and_valid(page):
    for address in ("/account/tokens/", "/organization/tokens/"):
        assert "No tokens yet." in page.get(address).text
    made = page.post("/account/tokens/", FORM)
    text = shown(made)
    assert text and "no-store" in made["Cache-Control"]
    assert text.encode() not in page.get("/account/tokens/").content
    token = ApiToken.objects.get()
    assert token.last_four == text[-4:] and text not in str(ApiToken.objects.values().get())
    assert Program(text).get("/me").json()["scopes"] == ["read", "launch"]
    assert "There is a token of this name already." in page.post("/account/tokens/", FORM).text


def test_revoking_asks_first_ends_the_token_and_is_in_the_audit_log(page, organization):
    text = shown(page.post("/account/tokens/", FORM))
    assert "This cannot be undone." in page.get("/account/tokens/").text
    page.post(f"/account/tokens/{ApiToken.objects.get().pk}/revoke/")
    assert Program(text).get("/me").status_code == 401
    table = page.get("/account/tokens/").text.split('id="new-token"')[0].split('id="tokens"')[1]
    assert "laptop" not in table
    found = organization.audit_entries.filter(action__startswith="token.").order_by("id")
    subject = f"laptop (…{text[-4:]}), of alice, read, launch"
    assert list(found.values_list("action", "subject")) == [("token.made", subject), ("token.revoked", subject)]


TOO_FAR = "A token is valid for a day to a year."
WRONG = [
    ({"name": ""}, "Say what the token is for."),
    ({"scopes": []}, "Choose at least one scope."),
    ({"scopes": ["root"]}, "Choose from the scopes."),
    ({"expires": "until"}, "Choose the last day."),
    ({"expires": "until", "until": "2001-01-01"}, TOO_FAR),
    ({"expires": "until", "until": "9999-01-01"}, TOO_FAR),
    ({"expires": "forever"}, "Select a valid choice."),
]


@pytest.mark.long
def test_invalid_entries_get_a_sentence_and_create_no_token(page):
    for change, sentence in WRONG:
        response = page.post("/account/tokens/", FORM | change)
        assert response.status_code == 422 and sentence in response.text, change
    assert not ApiToken.objects.exists()


def test_a_token_ends_with_its_last_day(page):
    day = (timezone.now() + timedelta(days=3)).date()
    page.post("/account/tokens/", FORM | {"expires": "until", "until": day.isoformat()})
    assert ApiToken.objects.get().expires_at.date() == day + timedelta(days=1)


def test_viewers_can_create_reading_tokens(join):
    vera = signed_in(join("vera", "viewer").user)
    assert "Viewers make tokens that read." in vera.post("/account/tokens/", FORM).text
    assert shown(vera.post("/account/tokens/", FORM | {"scopes": ["read"]}))


def test_owners_can_create_tokens_of_the_organization(page):
    text = shown(page.post("/organization/tokens/", FORM | {"name": "nightly", "role": "editor"}))
    answer = Program(text).get("/me").json()
    assert (answer["user"], answer["role"], answer["organization"]) == (None, "editor", "Market Lab")
    for role in ("owner", ""):
        assert page.post("/organization/tokens/", FORM | {"name": "root", "role": role}).status_code == 422


def test_owners_can_revoke_only_tokens_of_their_own_members(page, program, join, other):
    own = program(join("edda", "editor"))
    foreign = program(other)
    token = ApiToken.objects.get(user__username="edda")
    assert "edda" in page.get("/organization/tokens/").text
    assert page.post(f"/account/tokens/{token.pk}/revoke/").status_code == 404
    assert page.post(f"/organization/tokens/{token.pk}/revoke/").status_code == 302
    assert own.get("/me").status_code == 401
    theirs = ApiToken.objects.get(user=other.user)
    assert page.post(f"/organization/tokens/{theirs.pk}/revoke/").status_code == 404
    assert foreign.get("/me").status_code == 200


@pytest.fixture
def seen_by_otto(join):
    """A second owner, and a token of the organization that they made."""
    second = join("otto", "owner")
    text = shown(signed_in(second.user).post("/organization/tokens/", FORM | {"role": "viewer", "scopes": ["read"]}))
    return second, Program(text)


@pytest.mark.parametrize("end", ["removed", "demoted", "gone"])
def test_a_token_of_the_organization_ends_with_the_ownership_of_its_creator(page, seen_by_otto, end):
    otto, program = seen_by_otto
    name = str(ApiToken.objects.get())
    assert program.get("/me").json()["role"] == "viewer"
    if end == "removed":
        assert name in page.get("/organization/").text, "the dialog says so beforehand"
        done = page.post(f"/organization/members/{otto.pk}/remove/", follow=True)
    elif end == "demoted":
        done = page.post(f"/organization/members/{otto.pk}/role/", {"role": "viewer"}, follow=True)
    else:
        leaving = signed_in(otto.user)
        assert name in leaving.get("/organization/").text
        done = leaving.post("/organization/leave/", follow=True)
    assert program.get("/me").status_code == 401
    assert end == "gone" or f"Revoked, since they have seen it: {name}" in done.text
    entry = AuditEntry.objects.get(action="token.revoked")
    assert "made by otto" in entry.subject
    assert entry.actor_name == ("otto" if end == "gone" else "alice")


def test_tokens_of_other_owners_survive_a_removal(page, seen_by_otto):
    typed = FORM | {"name": "kept", "role": "viewer", "scopes": ["read"]}
    kept = Program(shown(page.post("/organization/tokens/", typed)))
    page.post(f"/organization/members/{seen_by_otto[0].pk}/remove/")
    assert kept.get("/me").status_code == 200


def test_the_last_use_is_written_at_most_once_a_minute(owning):
    owning.get("/me")
    first = ApiToken.objects.get().last_used_at
    assert first is not None
    owning.get("/me")
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(seconds=61))
    owning.get("/me")
    assert ApiToken.objects.get().last_used_at > first - timedelta(seconds=61)


def test_deleting_an_organization_deletes_its_tokens(program, alice, other):
    second = organization_create(name="Second Lab", owner=alice).memberships.get()
    there = program(second)
    assert there.get("/me").json()["organization"] == "Second Lab"
    organization_delete(actor=second, typed_name="Second Lab")
    assert there.get("/me").status_code == 401
