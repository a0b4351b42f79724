"""Who sees what: nothing without signing in, nothing of another organization, no changes by viewers."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

pytestmark = pytest.mark.django_db

READING = (
    "/experiments/{experiment}/",
    "/experiments/{experiment}/live/",
    "/experiments/{experiment}/ledger/",
    "/experiments/{experiment}/ledger/ledger.csv",
    "/experiments/{experiment}/ledger/?run={run}",
    "/ledger/?run={run}",
    "/runs/{run}/",
    "/runs/{run}/live/",
    "/runs/{run}/notes/",
    "/runs/{run}/hidden/",
    "/runs/{run}/periods/0/",
    "/runs/{run}/periods/0/period.json",
    "/agents/{agent}/prices/",
    "/agents/endpoints/{endpoint}/key/",
    "/agents/endpoints/{endpoint}/address/",
    "/agents/endpoints/{endpoint}/limits/",
    "/experiments/new/?from={experiment}",
)
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


@pytest.mark.parametrize("address", READING)
def test_nobody_reads_without_signing_in(client: Any, ids: dict[str, int], address: str) -> None:
    response = client.get(address.format(**ids))
    assert response.status_code == 302
    assert response["Location"].startswith("/login/")


@pytest.mark.parametrize("address", READING)
def test_the_owner_reads_everything(page: Any, ids: dict[str, int], address: str) -> None:
    assert page.get(address.format(**ids)).status_code == 200


@pytest.mark.parametrize("address", READING)
def test_a_foreign_id_is_not_found(stranger: Any, ids: dict[str, int], address: str) -> None:
    assert stranger.get(address.format(**ids)).status_code == 404


@pytest.mark.parametrize("address", WRITING)
def test_a_foreign_id_cannot_be_written(stranger: Any, ids: dict[str, int], address: str) -> None:
    assert stranger.post(address.format(**ids), {"name": "mine now", "key": "sk-mine-now-1234"}).status_code == 404


@pytest.mark.parametrize("address", [*WRITING, "/experiments/new/", "/experiments/new/preview/", "/agents/new/"])
def test_a_viewer_is_told_why_not(viewer: Any, ids: dict[str, int], address: str) -> None:
    response = viewer.post(address.format(**ids))
    assert response.status_code == 403
    assert "not change it" in response.content.decode()


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
    assert "not valid any more" in response.content.decode()
    assert strict.get(f"/experiments/{ids['experiment']}/").status_code == 200


def test_reading_an_action_address_does_nothing(page: Any, ids: dict[str, int]) -> None:
    assert page.get(f"/experiments/{ids['experiment']}/delete/").status_code == 405
