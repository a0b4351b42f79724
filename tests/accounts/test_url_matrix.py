"""Who gets what answer at each address of the accounts part. An address without a row fails."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.urls import URLResolver

from accounts.urls import urlpatterns
from tests.accounts.conftest import signed_in
from tests.accounts.matrix import ROLES, ROWS

pytestmark = pytest.mark.django_db


def routes(patterns: Any = urlpatterns, prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        route = prefix + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            yield from routes(pattern.url_patterns, route)
        else:
            yield route


@pytest.fixture
def clients(page: Any, join: Callable[..., Any], other: Any, owner: Any) -> dict[str, Any]:
    from accounts.services import member_remove

    removed = join("rex", "owner")
    everybody = {
        "anonymous": Client(),
        "viewer": signed_in(join("vera", "viewer").user),
        "editor": signed_in(join("edda", "editor").user),
        "owner": page,
        "foreign owner": signed_in(other.user),
        "removed member": signed_in(removed.user),
    }
    member_remove(actor=owner, membership=removed)
    return everybody


@pytest.fixture
def ids(join: Callable[..., Any], owner: Any) -> dict[str, Any]:
    from accounts.services import invitation_create

    invitation, token = invitation_create(actor=owner, email="new@example.org", role="viewer")
    return {
        "<int:membership_id>": join("otto", "viewer").pk,
        "<int:invitation_id>": invitation.pk,
        "<str:token>": token,
        "<str:provider_id>": "sso",
        "^(?P<provider_id>[^/]+)": "sso",
        r"^confirm-email/(?P<key>[-:\w]+)/$": "confirm-email/made-up/",
        "^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": "password/reset/key/1-made-up/",
    }


def answers(method: str, route: str, clients: dict[str, Any], ids: dict[str, Any]) -> str:
    """The status codes of all roles; what a request changes is undone before the next."""
    address = "/" + route
    for placeholder, value in ids.items():
        address = address.replace(placeholder, str(value))
    assert "<" not in address, address
    codes = []
    for role in ROLES:
        cookies = deepcopy(clients[role].cookies)
        with transaction.atomic():
            response = getattr(clients[role], method)(address)
            assert response.status_code < 500
            transaction.set_rollback(True)
        clients[role].cookies = cookies
        codes.append(str(response.status_code))
    return " ".join(codes)


def test_every_address_has_a_row() -> None:
    assert set(routes()) == set(ROWS)


@pytest.mark.parametrize("route", ROWS)
def test_everybody_gets_the_answer_of_the_table(route: str, clients: dict[str, Any], ids: dict[str, Any]) -> None:
    for method, expected in zip(("get", "post"), ROWS[route], strict=True):
        assert answers(method, route, clients, ids) == expected, method


def without_token(body: bytes) -> bytes:
    """The page without the token of its log-out form, which differs from one answer to the next."""
    return re.sub(rb'name="csrfmiddlewaretoken" value="[^"]+"', b"", body)


@pytest.mark.parametrize("route", [route for route in ROWS if "<int:" in route])
def test_a_foreign_row_is_as_absent_as_one_never_made(route: str, clients: dict[str, Any], ids: dict[str, Any]) -> None:
    absent = ids | {"<int:membership_id>": 10**9, "<int:invitation_id>": 10**9}
    bodies = []
    for chosen in (ids, absent):
        address = "/" + route
        for placeholder, value in chosen.items():
            address = address.replace(placeholder, str(value))
        response = clients["foreign owner"].post(address)
        assert response.status_code == 404
        bodies.append(without_token(response.content))
    assert bodies[0] == bodies[1]
