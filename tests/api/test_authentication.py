"""Authentication: a valid token with the required scope, acting for a person with the required role."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import Membership
from accounts.services import member_remove, member_set_role
from api.models import ApiToken
from api.services import service_token_create
from tests.api.conftest import LAUNCH, Program


def error(response):
    return response.json()["error"]


@pytest.mark.parametrize(
    "header", ["", "ee_", "Bearer", "Bearer x", "Basic YTpi", "Bearer ee_" + "0" * 40, "Bearer \ud800"]
)
def test_a_request_without_a_valid_token_gets_401_with_a_sentence(db, header):
    response = Client().get("/api/v1/me", headers={"Authorization": header} if header else {})
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert error(response)["code"] == "not_authenticated" and error(response)["message"]


def test_a_browser_session_does_not_authenticate_and_does_not_affect_tokens(owning, other):
    owning.client.force_login(other.user)
    assert owning.client.get("/api/v1/me").status_code == 401
    assert owning.client.post("/api/v1/experiments", LAUNCH, content_type="application/json").status_code == 401
    answer = owning.get("/me")
    told = {
        "organization": "Market Lab",
        "user": "alice",
        "role": "owner",
        "scopes": ["read", "launch", "manage", "play"],
    }
    assert told.items() <= answer.json().items()
    assert answer["Cache-Control"] == "private, no-store", "what depends on the token"


def test_a_removed_member_is_refused_with_the_next_request(program, owner, join):
    rex = join("rex", "editor")
    their = program(rex)
    assert their.get("/me").status_code == 200
    member_remove(actor=owner, membership=rex)
    assert their.get("/me").status_code == 401
    assert ApiToken.objects.get(user=rex.user).revoked_at is not None
    # Coming back does not bring the old token back.
    Membership.objects.create(organization=owner.organization, user=rex.user, role="editor")
    assert their.get("/me").status_code == 401


def test_a_membership_deleted_without_an_event_also_ends_the_token(program, join):
    rex = join("rex", "editor")
    their = program(rex)
    rex.delete()
    assert their.get("/me").status_code == 401


def test_a_token_never_exceeds_the_current_rights_of_its_person(program, owner, join):
    edda = join("edda", "editor")
    their = program(edda)
    assert their.post("/experiments", LAUNCH).status_code == 201
    member_set_role(actor=owner, membership=edda, role="viewer")
    refused = their.post("/experiments", LAUNCH)
    assert refused.status_code == 403 and "editor" in error(refused)["message"]
    assert their.get("/experiments").status_code == 200


def test_closed_accounts_and_expired_or_revoked_tokens_are_refused(owning, alice):
    token = ApiToken.objects.get()
    for change in ({"expires_at": timezone.now() - timedelta(seconds=1)}, {"revoked_at": timezone.now()}):
        ApiToken.objects.filter(pk=token.pk).update(**change)
        assert owning.get("/me").status_code == 401
        ApiToken.objects.filter(pk=token.pk).update(expires_at=token.expires_at, revoked_at=None)
    assert owning.get("/me").status_code == 200
    type(alice).objects.update(is_active=False)
    assert owning.get("/me").status_code == 401


def test_a_refusal_names_the_missing_scope(program):
    reading = program(scopes=("read",))
    refused = reading.post("/experiments", LAUNCH)
    assert refused.status_code == 403 and error(refused)["message"] == "This needs a token with the scope “launch”."
    launching = program(scopes=("launch",))
    assert launching.get("/experiments").status_code == 403
    assert launching.post("/experiments", LAUNCH).status_code == 201


def test_a_run_records_the_token_that_paused_it(launch, owner):
    expires = timezone.now() + timedelta(days=1)
    _, text = service_token_create(actor=owner, name="nightly", role="editor", scopes=["launch"], expires_at=expires)
    experiment = launch("random")
    assert Program(text).post(f"/experiments/{experiment.pk}/pause").json() == {"changed": 1}
    assert experiment.runs.get().reason == "Paused by nightly (token)."
