"""The cast of the API tests: tokens of every kind, and a program that sends one."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

EVERYTHING = ("read", "launch", "manage")


class Program:
    """Sends JSON with a token and reads JSON."""

    def __init__(self, token: str | None):
        from django.test import Client

        self.client = Client(raise_request_exception=False)
        self.headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.token = token

    def send(self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None) -> Any:
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        kind = {"content_type": "application/json"} if body is not None else {}
        sent = self.headers | (headers or {})
        return self.client.generic(method.upper(), f"/api/v1{path}", raw, headers=sent, **kind)

    def get(self, path: str, **query: Any) -> Any:
        return self.client.get(f"/api/v1{path}", query, headers=self.headers)

    def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return self.send("POST", path, body, {name.replace("_", "-"): value for name, value in headers.items()})


@pytest.fixture
def join(organization: Any) -> Callable[..., Any]:
    """A new person as a member of the organization."""

    def join(name: str, role: str) -> Any:
        from accounts.models import Membership, User

        user = User.objects.create_user(name, f"{name}@example.org", "correct horse battery")
        return Membership.objects.create(organization=organization, user=user, role=role)

    return join


@pytest.fixture
def owner(alice: Any) -> Any:
    """The membership of the only owner."""
    return alice.memberships.get()


@pytest.fixture
def other(db: None) -> Any:
    """The only owner's membership of another organization."""
    from accounts.models import User
    from accounts.services import organization_create
    from runs.services import catalog_install

    user = User.objects.create_user("mallory", "mallory@example.org", "correct horse battery")
    organization = organization_create(name="Other Lab", owner=user)
    catalog_install(organization=organization)
    return organization.memberships.get()


@pytest.fixture
def program(owner: Any) -> Callable[..., Program]:
    """A program with a new personal token, of the owner unless told, with every scope that the role takes."""

    def make(membership: Any = None, scopes: tuple[str, ...] = (), days: int = 90) -> Program:
        from django.utils import timezone

        from api.services import personal_token_create

        membership = membership or owner
        wanted = scopes or (EVERYTHING if membership.may_edit else ("read",))
        name = f"token {timezone.now().timestamp()}"
        expires = timezone.now() + timedelta(days=days)
        _, text = personal_token_create(actor=membership, name=name, scopes=wanted, expires_at=expires)
        return Program(text)

    return make


@pytest.fixture
def owning(program: Callable[..., Program]) -> Program:
    return program()


@pytest.fixture
def played(launch: Callable[..., Any]) -> Callable[..., Any]:
    """An experiment whose runs were played to their end by the engine."""

    def play(*slugs: str, **options: Any) -> Any:
        from runs.engine.advance import advance

        experiment = launch(*slugs, **options)
        # On a busy machine a run may need more than one slice of time.
        while waiting := list(experiment.runs.exclude(state="finished").values_list("id", flat=True)):
            for run_id in waiting:
                advance(run_id)
        return experiment

    return play


LAUNCH = {"environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0-1", "agents": ["random"], "periods": 3}


@pytest.fixture
def saved(organization: Any) -> Callable[..., Any]:
    """A leaderboard under a name; of the benchmark unless a litmus filter is given."""

    def save(name: str, chosen: Any = None) -> Any:
        from analysis.benchmark.filters import TableFilter
        from analysis.litmus.filters import LitmusFilter
        from analysis.saved.services import leaderboard_create

        chosen = chosen or TableFilter()
        kind = "litmus" if isinstance(chosen, LitmusFilter) else "benchmark"
        return leaderboard_create(organization=organization, user=None, kind=kind, name=name, filters=chosen)

    return save
