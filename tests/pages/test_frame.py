"""Home, signing in, errors, and the promises every page keeps."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.django_db


def test_signing_in_and_out(client: Any, alice: Any) -> None:
    wrong = client.post("/login/", {"username": "alice", "password": "wrong"})
    assert "do not match" in wrong.content.decode()
    assert client.post("/login/", {"username": "alice", "password": "correct horse battery"})["Location"] == "/"
    assert client.post("/logout/")["Location"] == "/login/"


def test_a_first_time_user_sees_three_steps(page: Any) -> None:
    text = page.get("/").content.decode()
    assert "Choose who plays" in text
    assert "/experiments/new/" in text


def test_home_polls_only_while_something_runs(page: Any, painted: Callable[..., Any]) -> None:
    painted("random", states=("finished",))
    assert "data-poll" not in page.get("/").content.decode()
    painted("random", states=("running",))
    assert "data-poll" in page.get("/").content.decode()


def test_missing_pages_and_errors_are_plain(page: Any) -> None:
    response = page.get("/runs/123456/")
    assert response.status_code == 404
    assert "There is no such page" in response.content.decode()


def test_a_fault_of_ours_shows_as_one_without_touching_anything() -> None:
    from django.test import RequestFactory

    from accounts.views import server_error

    response = server_error(RequestFactory().get("/"))
    assert response.status_code == 500
    assert "a mistake of ours" in response.content.decode()


def test_no_page_has_inline_script_style_or_handlers(page: Any, played: Callable[..., Any]) -> None:
    experiment = played("random")
    run = experiment.runs.get()
    for address in (
        "/",
        "/experiments/",
        f"/experiments/{experiment.pk}/",
        f"/experiments/{experiment.pk}/ledger/",
        f"/runs/{run.pk}/",
        "/agents/",
        "/experiments/new/",
        "/spend/",
        "/ledger/",
    ):
        response = page.get(address)
        text = response.content.decode()
        assert not re.search(r"<script(?![^>]*\bsrc=)", text), address
        assert not re.search(r"<[^>]+\s(style|on[a-z]+|hx-on[^=]*)=", text), address
        assert "default-src 'self'" in response["Content-Security-Policy"]
        assert len(re.findall(r"<h1[ >]", text)) == 1, address


def test_every_id_on_a_page_is_its_own(page: Any, painted: Callable[..., Any]) -> None:
    experiment = painted("random", "optimum", seeds=(0, 1, 2, 3))
    for address in (f"/experiments/{experiment.pk}/", "/experiments/new/", "/agents/", "/spend/", "/ledger/"):
        ids = re.findall(r'\sid="([^"]+)"', page.get(address).content.decode())
        assert len(ids) == len(set(ids)), [name for name in ids if ids.count(name) > 1]


def test_a_person_without_an_organization_is_told_so_and_can_log_out(client: Any, db: None) -> None:
    from accounts.models import User

    client.force_login(User.objects.create_user("nomad", "nomad@example.org", "correct horse battery"))
    response = client.get("/")
    assert response.status_code == 403
    assert "not a member of any organization" in response.content.decode()
    assert 'action="/logout/"' in response.content.decode()
