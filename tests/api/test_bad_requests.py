"""Requests that make no sense are told so, in one shape, and never break anything."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from runs.models import Experiment
from tests.api.conftest import LAUNCH, Program

pytestmark = pytest.mark.django_db


def refused(response: Any, status: int) -> dict[str, Any]:
    assert response.status_code == status, response.content
    assert response["Content-Type"] == "application/json"
    error = response.json()["error"]
    assert set(error) == {"code", "message", "fields"} and error["message"].endswith((".", "…"))
    assert not Experiment.objects.exists()
    return error


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"", 422),
        (b"{", 400),
        (b"\xff\xfe", 400),
        (b"[" * 100_000, 400),
        (b'{"periods": NaN}', 400),
        (b'{"periods": 1, "periods": 2}', 400),
        (b'{"periods": ' + b"9" * 5000 + b"}", 400),
        (b"[]", 422),
        (b"null", 422),
        (b'"text"', 422),
        (b"[" * 50 + b"]" * 50, 422),
        (json.dumps(LAUNCH | {"name": "x" * 2_000_000}).encode(), 413),
    ],
)
def test_bodies_that_are_no_launch(owning: Program, body: bytes, status: int) -> None:
    refused(owning.post("/experiments", body), status)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "a\x00b"),
        ("name", "\ud800"),
        ("seeds", "\x00"),
        ("agents", ["\x00"]),
        ("agents", ["\udfff"]),
        ("environments", ["\x00"]),
        ("rival", "\x00"),
        ("periods", 2**63),
        ("periods", 10**400),
        ("periods", -(2**63) - 1),
        ("budget_usd", 1e308),
        ("budget_usd", 10**400),
        ("budget_usd", -1),
        ("settings", {"\x00": 1}),
        ("settings", {"a": 10**400}),
        ("agents", ["random"] * 1001),
        ("seeds", "0-" + "9" * 1000),
    ],
)
def test_values_that_no_database_takes(owning: Program, field: str, value: Any) -> None:
    error = refused(owning.post("/experiments", LAUNCH | {field: value}), 400 if value == 10**5000 else 422)
    assert error["fields"]


@pytest.mark.parametrize("number", ["0", str(2**31), str(2**63), str(2**64), "9" * 4000, "9" * 5000])
def test_numbers_of_things_that_cannot_be_are_absent(owning: Program, number: str) -> None:
    for path in (
        "/experiments/{}",
        "/runs/{}",
        "/runs/{}/periods",
        "/instances/{}",
        "/runs/{}/notes",
        "/runs/{}/figure",
    ):
        refused(owning.get(path.format(number)), 404)
    refused(owning.post(f"/experiments/{number}/pause"), 404)


def test_numbers_in_addresses_of_periods_too(owning: Program, launch: Callable[..., Any]) -> None:
    run = launch("random").runs.get()
    for index in (str(2**15), str(2**63), "9" * 4000):
        for rest in ("", "/transcript"):
            assert owning.get(f"/runs/{run.pk}/periods/{index}{rest}").status_code == 404


@pytest.mark.parametrize(
    "query",
    ["experiment=9223372036854775808", "experiment=-1", "experiment=1e3", "state=dead",
     "environment=chess", "difficulty=EASY", "variant=x",
     "agent=%00", "limit=%00", "a=1",
     "state=queued&state=paused", "agent=" + "x" * 300, "%00=1", "cursor=%ED%A0%80"],
)  # fmt: skip
def test_queries_that_make_no_sense(owning: Program, query: str) -> None:
    refused(owning.get(f"/runs?{query}"), 422)


def test_other_content_types_are_refused(owning: Program) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        headers = owning.headers
        response = owning.client.generic("POST", "/api/v1/experiments", json.dumps(LAUNCH), kind, headers=headers)
        refused(response, 415)


@pytest.mark.parametrize(
    "path", ["/", "/nothing", "/runs/", "/runs/abc", "/runs/-1", "/experiments/1/2/3", "/%00", "/../runs/x"]
)
def test_addresses_that_are_none(owning: Program, path: str) -> None:
    assert refused(owning.get(path), 404)["code"] == "not_found"


def test_other_methods_are_refused_with_those_there_are(owning: Program) -> None:
    response = owning.send("PUT", "/experiments", {})
    assert refused(response, 405)["code"] == "method_not_allowed"
    assert set(response["Allow"].split(", ")) == {"GET", "POST"}
    assert owning.send("OPTIONS", "/experiments").status_code == 405


def test_a_foreign_thing_is_as_absent_as_one_never_made(
    program: Callable[..., Program], other: Any, launch: Callable[..., Any]
) -> None:
    theirs = program(other)
    experiment = launch("random")
    run = experiment.runs.get()
    for path, method in (
        (f"/experiments/{experiment.pk}", "GET"),
        (f"/experiments/{experiment.pk}", "DELETE"),
        (f"/experiments/{experiment.pk}/pause", "POST"),
        (f"/experiments/{experiment.pk}/ledger", "GET"),
        (f"/experiments/{experiment.pk}/export", "GET"),
        (f"/runs/{run.pk}", "GET"),
        (f"/runs/{run.pk}/cancel", "POST"),
        (f"/runs/{run.pk}/notes", "GET"),
        (f"/runs/{run.pk}/periods/0/transcript", "GET"),
        (f"/instances/{run.instance_id}", "GET"),
        (f"/runs?experiment={experiment.pk}", "GET"),
        (f"/leaderboards/litmus?experiment={experiment.pk}", "GET"),
    ):
        foreign = theirs.send(method, path)
        absent = theirs.send(method, path.replace(str(experiment.pk), "99999999").replace(str(run.pk), "99999999"))
        assert foreign.status_code == absent.status_code == 404, path
        assert foreign.content == absent.content and dict(foreign.items()) == dict(absent.items()), path


def test_a_mistake_of_ours_is_told_as_one(owning: Program, launch: Callable[..., Any]) -> None:
    """A run whose environment was removed from the code stands for any mistake."""
    from runs.models import Instance

    run = launch("random").runs.get()
    Instance.objects.update(environment="gone", reference={})
    response = owning.get(f"/runs/{run.pk}/periods/0/transcript")
    assert response.status_code == 500 and response.json()["error"]["code"] == "our_mistake"
    assert "gone" not in response.content.decode()
