"""Answers to unknown paths, unknown host names and foreign origins."""

import logging

import pytest
from django.test import Client


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize(
    "path",
    [
        "/.well-known/oauth-authorization-server",
        "/.well-known/oauth-protected-resource/mcp",
        "/.well-known/openid-configuration",
        "/register",
        "/token",
        "/authorize",
        "/mcp/",
    ],
)
def test_programs_that_request_sign_in_metadata_get_json_with_the_reason(client, method, path):
    answer = getattr(client, method)(path)
    assert answer.status_code == 404 and answer["Content-Type"] == "application/json"
    assert "send Authorization: Bearer" in answer.json()["error_description"]


def test_an_unknown_host_name_is_explained_to_the_operator_without_a_traceback(client, caplog):
    with caplog.at_level(logging.ERROR):
        answer = client.get("/login/", headers={"Host": "abc-8000.tunnel.example"})
    assert answer.status_code == 400
    assert "abc-8000.tunnel.example" in answer.text and "ALLOWED_HOSTS" in answer.text
    assert "CSRF_TRUSTED_ORIGINS" in answer.text and "<script>alert" not in answer.text
    records = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(records) == 1 and records[0].exc_info is None


def test_a_hostile_host_name_is_escaped(client):
    answer = client.get("/login/", headers={"Host": "<script>alert(1)</script>"})
    assert answer.status_code == 400 and "<script>alert" not in answer.text


@pytest.mark.parametrize(
    ("origin", "named"),
    [("https://abc-8000.tunnel.example", "sent from https://abc-8000.tunnel.example"), ("null", "sent from elsewhere")],
)
def test_a_refused_origin_is_explained_to_the_operator(db, origin, named):
    answer = Client(enforce_csrf_checks=True).post("/login/", {"username": "a"}, headers={"Origin": origin})
    assert answer.status_code == 403
    assert named in answer.text and "CSRF_TRUSTED_ORIGINS" in answer.text
