"""Who sees what: nothing without signing in, nothing of another organization, no changes by viewers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.django_db

WRITING = (
    "/experiments/{experiment}/pause/",
    "/experiments/{experiment}/cancel/",
    "/experiments/{experiment}/rename/",
    "/experiments/{experiment}/budget/",
    "/experiments/{experiment}/delete/",
    "/runs/{run}/cancel/",
    "/runs/{run}/budget/",
    "/agents/endpoints/{endpoint}/limits/",
    "/agents/endpoints/{endpoint}/pause/",
    "/agents/endpoints/{endpoint}/cancel/",
    "/agents/{agent}/prices/",
    "/agents/{agent}/test/",
    "/agents/endpoints/{endpoint}/key/",
    "/agents/endpoints/{endpoint}/address/",
    "/agents/endpoints/{endpoint}/delete/",
)


@pytest.fixture
def ids(played: Callable[..., Any], organization: Any) -> dict[str, int]:
    experiment = played("random")
    agent = organization.agents.get(slug="gpt-5")
    return {
        "experiment": experiment.pk,
        "run": experiment.runs.get().pk,
        "agent": agent.pk,
        "endpoint": agent.endpoint_id,
    }


def test_a_query_that_names_a_foreign_row_is_not_found(stranger: Any, ids: dict[str, int]) -> None:
    """`tests/security/test_url_matrix.py` asks the addresses without a query, also of viewers and visitors."""
    for address in (
        "/experiments/{experiment}/ledger/?run={run}",
        "/ledger/?run={run}",
        "/experiments/new/?from={experiment}",
    ):
        assert stranger.get(address.format(**ids)).status_code == 404, address


def test_a_foreign_id_cannot_be_written(stranger: Any, ids: dict[str, int]) -> None:
    for address in WRITING:
        response = stranger.post(address.format(**ids), {"name": "mine now", "key": "sk-mine-now-1234"})
        assert response.status_code == 404, address


def test_a_viewer_is_told_why_not(viewer: Any, ids: dict[str, int]) -> None:
    for address in (*WRITING, "/experiments/new/", "/experiments/new/preview/", "/agents/new/"):
        response = viewer.post(address.format(**ids))
        assert response.status_code == 403, address
        assert "not change it" in response.content.decode(), address


def test_a_viewer_sees_no_buttons_but_those_of_stars_and_comments(viewer: Any, ids: dict[str, int]) -> None:
    for address in ("/", "/agents/", f"/experiments/{ids['experiment']}/", f"/runs/{ids['run']}/"):
        text = viewer.get(address).content.decode()
        assert 'method="post" action="/experiments' not in text
        assert not re.search(r'method="post" action="/runs/(?!\d+/(periods/\d+/)?(star|comments)/")', text)
        assert "/tags/remove/" not in text and "Add a tag" not in text
        assert "/experiments/new/" not in text
        assert "Test connection" not in text


def test_changes_need_a_token_of_the_page(alice: Any, ids: dict[str, int]) -> None:
    from django.test import Client

    strict = Client(enforce_csrf_checks=True)
    strict.force_login(alice)
    response = strict.post(f"/experiments/{ids['experiment']}/delete/")
    assert response.status_code == 403
    assert "has expired" in response.content.decode()
    assert strict.get(f"/experiments/{ids['experiment']}/").status_code == 200


def test_reading_an_action_address_does_nothing(page: Any, ids: dict[str, int]) -> None:
    assert page.get(f"/experiments/{ids['experiment']}/delete/").status_code == 405
