"""Who gets what answer at the addresses of the spend page."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client

from tests.accounts.conftest import signed_in
from tests.spending.matrix import ROWS

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("route", ROWS)
def test_everybody_gets_the_answer_of_the_table(
    route: str, page: Any, join: Callable[..., Any], other: Any, owner: Any
) -> None:
    from accounts.services import member_remove

    removed = join("rex", "owner")
    clients = [Client(), *(signed_in(join(role, role).user) for role in ("viewer", "editor"))]
    clients += [page, signed_in(other.user), signed_in(removed.user)]
    member_remove(actor=owner, membership=removed)
    for method, expected in zip(("get", "post"), ROWS[route], strict=True):
        codes = [str(getattr(client, method)("/" + route).status_code) for client in clients]
        assert " ".join(codes) == expected, method
