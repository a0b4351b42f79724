"""Who gets what answer at each address of comments, tags, stars and mentions; foreign rows are as absent as none."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from django.db import transaction
from django.test import Client

from discussion.models import Mention
from discussion.services import comment_create, tag_add
from discussion.subjects import Subject
from discussion.urls import urlpatterns
from tests.accounts.conftest import signed_in
from tests.accounts.matrix import ROLES
from tests.discussion.matrix import ROWS

pytestmark = pytest.mark.django_db


@pytest.fixture
def clients(cast: Any, join: Callable[..., Any], other: Any, owner: Any) -> dict[str, Any]:
    from accounts.services import member_remove

    removed = join("rex", "owner")
    everybody = {
        "anonymous": Client(),
        "viewer": cast.browsers["vera"],
        "editor": cast.browsers["edda"],
        "owner": cast.browsers["alice"],
        "foreign owner": signed_in(other.user),
        "removed member": signed_in(removed.user),
    }
    member_remove(actor=owner, membership=removed)
    return everybody


@pytest.fixture
def ids(cast: Any, run: Any) -> dict[str, int]:
    comment = comment_create(subject=Subject(run), author=cast.edda, text="@alice")
    type(comment).objects.update(author=cast.alice)
    return {
        "<int:experiment_id>": run.experiment_id,
        "<int:run_id>": run.pk,
        "<int:index>": 1,
        "<int:comment_id>": comment.pk,
        "<int:mention_id>": Mention.objects.get().pk,
        "<int:tag_id>": tag_add(subject=Subject(run), name="odd", user=cast.edda).pk,
    }


def address_of(route: str, ids: dict[str, int]) -> str:
    for placeholder, value in ids.items():
        route = route.replace(placeholder, str(value))
    return "/" + route


def test_every_address_of_the_area_has_a_row() -> None:
    assert {str(p.pattern) for p in urlpatterns} == set(ROWS)


@pytest.mark.parametrize("route", ROWS)
def test_everybody_gets_the_answer_of_the_table(route: str, clients: dict[str, Any], ids: dict[str, int]) -> None:
    for method, expected in zip(("get", "post"), ROWS[route], strict=True):
        codes = []
        for role in ROLES:
            with transaction.atomic():
                response = getattr(clients[role], method)(address_of(route, ids))
                transaction.set_rollback(True)
            codes.append(str(response.status_code))
        assert " ".join(codes) == expected, method


@pytest.mark.parametrize("route", [route for route in ROWS if "<int:" in route])
def test_a_foreign_row_is_as_absent_as_one_never_made(route: str, clients: dict[str, Any], ids: dict[str, int]) -> None:
    absent = ids | {key: 10**9 for key in ids if key != "<int:index>"}
    method = "post" if ROWS[route][1].split()[4] == "404" else "get"
    bodies = []
    for chosen in (ids, absent):
        sent = {"text": "mine", "name": "mine", "starred": "1", "tag": chosen["<int:tag_id>"], "colour": 1}
        response = getattr(clients["foreign owner"], method)(address_of(route, chosen), sent)
        assert response.status_code == 404
        bodies.append(re.sub(rb'name="csrfmiddlewaretoken" value="[^"]+"', b"", response.content))
    assert bodies[0] == bodies[1]
