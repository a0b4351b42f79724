"""Who gets in: a token that is alive, has the scope, and acts as somebody who may."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from api.models import ApiToken
from tests.api.conftest import LAUNCH, Program

pytestmark = pytest.mark.django_db


def error(response: Any) -> dict[str, Any]:
    return response.json()["error"]


@pytest.mark.parametrize(
    "header", ["", "ee_", "Bearer", "Bearer x", "Basic YTpi", "Bearer ee_" + "0" * 40, "Bearer \ud800"]
)
def test_without_a_valid_token_there_is_a_sentence_and_the_way_to_authenticate(db: None, header: str) -> None:
    response = Client().get("/api/v1/me", headers={"Authorization": header} if header else {})
    assert response.status_code == 401
    assert response["WWW-Authenticate"].startswith("Bearer")
    assert error(response)["code"] == "not_authenticated" and error(response)["message"]


def test_a_session_lets_nobody_in(client: Any, alice: Any) -> None:
    client.force_login(alice)
    assert client.get("/api/v1/me").status_code == 401
    assert client.post("/api/v1/experiments", LAUNCH, content_type="application/json").status_code == 401


def test_a_session_in_the_same_browser_changes_nothing(owning: Program, other: Any) -> None:
    owning.client.force_login(other.user)
    assert owning.get("/me").json()["organization"] == "Market Lab"


def test_a_removed_member_is_out_with_the_next_request(
    program: Callable[..., Program], owner: Any, join: Callable[..., Any]
) -> None:
    from accounts.models import Membership
    from accounts.services import member_remove

    rex = join("rex", "editor")
    their = program(rex)
    assert their.get("/me").status_code == 200
    member_remove(actor=owner, membership=rex)
    assert their.get("/me").status_code == 401
    assert ApiToken.objects.get(user=rex.user).revoked_at is not None
    # Coming back does not bring the old token back.
    Membership.objects.create(organization=owner.organization, user=rex.user, role="editor")
    assert their.get("/me").status_code == 401


def test_a_membership_that_ended_without_telling_anybody_ends_the_token_too(
    program: Callable[..., Program], join: Callable[..., Any]
) -> None:
    rex = join("rex", "editor")
    their = program(rex)
    rex.delete()
    assert their.get("/me").status_code == 401


def test_a_token_may_never_do_more_than_its_person_now(
    program: Callable[..., Program], owner: Any, join: Callable[..., Any]
) -> None:
    from accounts.services import member_set_role

    edda = join("edda", "editor")
    their = program(edda)
    assert their.post("/experiments", LAUNCH).status_code == 201
    member_set_role(actor=owner, membership=edda, role="viewer")
    refused = their.post("/experiments", LAUNCH)
    assert refused.status_code == 403 and "editor" in error(refused)["message"]
    assert their.get("/experiments").status_code == 200


def test_a_closed_account_an_expired_and_a_revoked_token_are_out(owning: Program, alice: Any) -> None:
    token = ApiToken.objects.get()
    for change in ({"expires_at": timezone.now() - timedelta(seconds=1)}, {"revoked_at": timezone.now()}):
        ApiToken.objects.filter(pk=token.pk).update(**change)
        assert owning.get("/me").status_code == 401
        ApiToken.objects.filter(pk=token.pk).update(expires_at=token.expires_at, revoked_at=None)
    assert owning.get("/me").status_code == 200
    type(alice).objects.update(is_active=False)
    assert owning.get("/me").status_code == 401


def test_a_missing_scope_is_named(program: Callable[..., Program]) -> None:
    reading = program(scopes=("read",))
    refused = reading.post("/experiments", LAUNCH)
    assert refused.status_code == 403 and error(refused)["message"] == "This needs a token with the scope “launch”."
    launching = program(scopes=("launch",))
    assert launching.get("/experiments").status_code == 403
    assert launching.post("/experiments", LAUNCH).status_code == 201


def test_runs_say_by_which_token_they_were_paused(launch: Callable[..., Any], owner: Any) -> None:
    from api.services import service_token_create

    expires = timezone.now() + timedelta(days=1)
    _, text = service_token_create(actor=owner, name="nightly", role="editor", scopes=["launch"], expires_at=expires)
    experiment = launch("random")
    assert Program(text).post(f"/experiments/{experiment.pk}/pause").json() == {"changed": 1}
    assert experiment.runs.get().reason == "Paused by nightly (token)."


def test_what_depends_on_the_token_is_kept_by_no_cache(owning: Program) -> None:
    assert owning.get("/me")["Cache-Control"] == "private, no-store"
