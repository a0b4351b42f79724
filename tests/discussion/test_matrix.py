"""Comments, tags, stars and mentions of other organizations are not found."""

from __future__ import annotations

import re
from typing import Any

import pytest

from discussion.models import Mention
from discussion.services import comment_create, tag_add
from discussion.subjects import Subject
from tests.discussion.matrix import ROWS
from tests.visitors import signed_in

pytestmark = pytest.mark.django_db


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


def test_a_foreign_row_is_as_absent_as_one_never_made(other: Any, ids: dict[str, int]) -> None:
    """Also by requests that would be right for one's own rows."""
    foreign, absent = signed_in(other.user), ids | {key: 10**9 for key in ids if key != "<int:index>"}
    for route in [route for route in ROWS if "<int:" in route]:
        method = "post" if ROWS[route][1].split()[4] == "404" else "get"
        bodies = []
        for chosen in (ids, absent):
            sent = {"text": "mine", "name": "mine", "starred": "1", "tag": chosen["<int:tag_id>"], "colour": 1}
            response = getattr(foreign, method)(address_of(route, chosen), sent)
            assert response.status_code == 404, route
            bodies.append(re.sub(rb'name="csrfmiddlewaretoken" value="[^"]+"', b"", response.content))
        assert bodies[0] == bodies[1], route
