"""Invalid requests get errors of the documented shape and never cause a server error."""

import json

import pytest

from runs.models import Experiment, Instance
from tests.api.conftest import LAUNCH


def refused(response, status, case=None):
    assert response.status_code == status, (case, response.content)
    assert response["Content-Type"] == "application/json", case
    error = response.json()["error"]
    assert set(error) == {"code", "message", "fields"} and error["message"].endswith((".", "…")), case
    assert not Experiment.objects.exists()
    return error


BODIES = {
    400: (b"{", b"\xff\xfe", b"[" * 100_000, b'{"periods": NaN}', b'{"periods": 1, "periods": 2}')
    + (b'{"periods": ' + b"9" * 5000 + b"}",),
    413: (json.dumps(LAUNCH | {"name": "x" * 2_000_000}).encode(),),
    422: (b"", b"[]", b"null", b'"text"', b"[" * 50 + b"]" * 50),
}


def test_invalid_launch_bodies_are_refused(owning):
    for status, bodies in BODIES.items():
        for body in bodies:
            refused(owning.post("/experiments", body), status, body[:50])


WRONG = {
    "name": ("a\x00b", "\ud800"),
    "seeds": ("\x00", "0-" + "9" * 1000),
    "agents": (["\x00"], ["\udfff"], ["random"] * 1001),
    "environments": (["\x00"],),
    "rival": ("\x00",),
    "periods": (2**63, 10**400, -(2**63) - 1),
    "budget_usd": (1e308, 10**400, -1),
    "settings": ({"\x00": 1}, {"a": 10**400}),
}


def test_values_that_a_database_cannot_store_are_refused(owning):
    for field, values in WRONG.items():
        for value in values:
            assert refused(owning.post("/experiments", LAUNCH | {field: value}), 422, (field, value))["fields"]


@pytest.mark.long
def test_impossible_ids_give_404(owning):
    for number in ("0", str(2**31), str(2**63), str(2**64), "9" * 4000, "9" * 5000):
        for path in ("experiments/{}", "runs/{}", "runs/{}/periods", "instances/{}", "runs/{}/notes", "runs/{}/figure"):
            refused(owning.get("/" + path.format(number)), 404, (path, number))
        refused(owning.post(f"/experiments/{number}/pause"), 404, number)


@pytest.mark.long
def test_impossible_period_numbers_give_404(owning, launch):
    run = launch("random").runs.get()
    for index in (str(2**15), str(2**63), "9" * 4000):
        for rest in ("", "/transcript"):
            assert owning.get(f"/runs/{run.pk}/periods/{index}{rest}").status_code == 404


@pytest.mark.long
def test_invalid_queries_are_refused(owning):
    for query in (
        *("experiment=9223372036854775808", "experiment=-1", "experiment=1e3", "state=dead", "environment=chess"),
        *("difficulty=EASY", "variant=x", "agent=%00", "limit=%00", "a=1", "state=queued&state=paused"),
        *("agent=" + "x" * 300, "%00=1", "cursor=%ED%A0%80"),
    ):
        refused(owning.get(f"/runs?{query}"), 422, query)


def test_other_content_types_are_refused(owning):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        headers = owning.headers
        response = owning.client.generic("POST", "/api/v1/experiments", json.dumps(LAUNCH), kind, headers=headers)
        refused(response, 415, kind)


def test_unknown_addresses_give_404(owning):
    strange = ("/experiments/1/2/3", "/%00", "/seasons/%00", "/agents/%00", "/../runs/x")
    for path in ("/", "/nothing", "/runs/", "/runs/abc", "/runs/-1", *strange):
        assert refused(owning.get(path), 404, path)["code"] == "not_found"


def test_other_methods_are_refused_with_the_allowed_methods(owning):
    response = owning.send("PUT", "/experiments", {})
    assert refused(response, 405)["code"] == "method_not_allowed"
    assert set(response["Allow"].split(", ")) == {"GET", "POST"}
    assert owning.send("OPTIONS", "/experiments").status_code == 405


@pytest.mark.long
def test_a_foreign_object_gets_the_same_answer_as_a_missing_object(program, other, launch, saved):
    theirs = program(other)
    experiment = launch("random")
    run = experiment.runs.get()
    numbers = {"E": experiment.pk, "R": run.pk, "I": run.instance_id, "L": saved("Ours").pk}
    for operation in (
        *("GET /experiments/E", "DELETE /experiments/E", "POST /experiments/E/pause", "GET /experiments/E/ledger"),
        *("GET /experiments/E/export", "GET /runs/R", "POST /runs/R/cancel", "GET /runs/R/notes", "GET /instances/I"),
        *("GET /runs/R/periods/0/transcript", "GET /leaderboards/L", "GET /runs?experiment=E"),
        "GET /leaderboards/litmus?experiment=E",
    ):
        method, path = operation.split()
        letter = next(letter for letter in numbers if letter in path)
        foreign, absent = (theirs.send(method, path.replace(letter, str(n))) for n in (numbers[letter], 99_999_999))
        assert foreign.status_code == absent.status_code == 404, path
        assert foreign.content == absent.content and dict(foreign.items()) == dict(absent.items()), path
    assert theirs.get("/leaderboards").json()["items"] == []


def test_a_server_error_is_reported_as_our_mistake(owning, launch):
    """A run whose environment was removed from the code represents any server error."""
    run = launch("random").runs.get()
    Instance.objects.update(environment="gone", reference={})
    response = owning.get(f"/runs/{run.pk}/periods/0/transcript")
    assert response.status_code == 500 and response.json()["error"]["code"] == "our_mistake"
    assert "gone" not in response.text
