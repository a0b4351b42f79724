"""How many queries a page takes does not grow with what it shows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

pytestmark = pytest.mark.django_db

SIGNED_IN = 5
"""Session, person, membership, and in the header the spend of the month and the mentions not opened yet."""
PARTIAL = SIGNED_IN - 2
"""Parts of pages have no header."""


def queries_of(client: Any, address: str, **headers: str) -> int:
    with CaptureQueriesContext(connection) as queries:
        response = client.get(address, headers=headers)
    assert response.status_code == 200, response.content[:500]
    return len(queries)


@pytest.fixture
def small(painted: Callable[..., Any]) -> Any:
    return painted("random", "pricing-constant", seeds=(0, 1))


@pytest.fixture
def large(painted: Callable[..., Any]) -> Any:
    environments = ("procurement", "scheduling", "pricing")
    return painted("random", "optimum", "gpt-5", environments=environments, seeds=tuple(range(30)))


def test_the_experiment_page_takes_the_same_queries_however_many_runs(page: Any, small: Any, large: Any) -> None:
    for experiment in (small, large):
        assert queries_of(page, f"/experiments/{experiment.pk}/") == SIGNED_IN + 7


def test_the_live_part_takes_three_queries(page: Any, large: Any) -> None:
    assert queries_of(page, f"/experiments/{large.pk}/live/") == PARTIAL + 3


def test_the_list_of_experiments(page: Any, small: Any, large: Any) -> None:
    assert queries_of(page, "/experiments/") == SIGNED_IN + 5


def test_home(page: Any, small: Any, large: Any) -> None:
    assert queries_of(page, "/") == SIGNED_IN + 5


def test_the_launch_form(page: Any) -> None:
    assert queries_of(page, "/experiments/new/") <= SIGNED_IN + 8


def test_the_agents_page(page: Any, small: Any) -> None:
    assert queries_of(page, "/agents/") == SIGNED_IN + 4
    assert queries_of(page, "/agents/endpoints/", **{"HX-Request": "true"}) == PARTIAL + 2


@pytest.mark.parametrize("periods", [3, 12])
def test_the_run_page_does_not_grow_with_the_length_of_the_run(
    page: Any, played: Callable[..., Any], periods: int
) -> None:
    run = played("random", periods=periods).runs.get()
    assert queries_of(page, f"/runs/{run.pk}/") == SIGNED_IN + 9
    assert queries_of(page, f"/runs/{run.pk}/periods/1/", **{"HX-Request": "true"}) == PARTIAL + 9


def test_the_ledger_and_the_spend_page(page: Any, small: Any, large: Any) -> None:
    for experiment in (small, large):
        assert queries_of(page, f"/experiments/{experiment.pk}/ledger/") <= SIGNED_IN + 6
    assert queries_of(page, "/ledger/") <= SIGNED_IN + 5
    assert queries_of(page, "/spend/") <= SIGNED_IN + 10
