"""The cast of the API tests: tokens of every kind, and a program that sends one."""

import json
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from analysis.base.benchmark_filters import TableFilter
from analysis.base.litmus_filters import LitmusFilter
from analysis.saved.services import leaderboard_create
from api.services import personal_token_create
from runs.services.catalog import catalog_install

EVERYTHING = ("read", "launch", "manage", "play")


class Program:
    """Sends JSON with a token and reads JSON."""

    def __init__(self, token):
        self.client = Client(raise_request_exception=False)
        self.headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self.token = token

    def send(self, method, path, body=None, headers=None):
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        kind = {"content_type": "application/json"} if body is not None else {}
        sent = self.headers | (headers or {})
        return self.client.generic(method.upper(), f"/api/v1{path}", raw, headers=sent, **kind)

    def get(self, path, **query):
        return self.client.get(f"/api/v1{path}", query, headers=self.headers)

    def post(self, path, body=None, **headers):
        return self.send("POST", path, body, {name.replace("_", "-"): value for name, value in headers.items()})


def fields(response):
    """The sentences of a refusal, by field."""
    assert response.status_code == 422, response.content
    return response.json()["error"]["fields"]


@pytest.fixture
def other(other):
    """The only owner's membership of another organization, which has the catalog of agents."""
    catalog_install(organization=other.organization)
    return other


@pytest.fixture
def program(owner):
    """A program with a new personal token, by default of the owner, with every scope of the role."""

    def make(membership=None, scopes=()):
        membership = membership or owner
        wanted = scopes or (EVERYTHING if membership.may_edit else ("read",))
        name = f"token {timezone.now().timestamp()}"
        expires = timezone.now() + timedelta(days=90)
        _, text = personal_token_create(actor=membership, name=name, scopes=wanted, expires_at=expires)
        return Program(text)

    return make


@pytest.fixture
def owning(program):
    return program()


LAUNCH = {"environments": ["pricing"], "difficulties": ["BASIC"], "seeds": "0-1", "agents": ["random"], "periods": 3}


@pytest.fixture
def saved(organization):
    """A leaderboard under a name; of the benchmark unless a litmus filter is given."""

    def save(name, chosen=None):
        chosen = chosen or TableFilter()
        kind = "litmus" if isinstance(chosen, LitmusFilter) else "benchmark"
        return leaderboard_create(organization=organization, user=None, kind=kind, name=name, filters=chosen)

    return save
